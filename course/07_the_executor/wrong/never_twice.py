"""Keeps the first value of a variable that is written again.

zh: 变量再次被写时，仍留着第一个值。
task: interpret
says: wrong
"""

INSTEAD = {
    "memory[x.name] = result": "memory.setdefault(x.name, result)",
}
