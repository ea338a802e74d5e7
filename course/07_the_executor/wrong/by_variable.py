"""Keeps the results by Variable.

zh: 按 Variable 存放结果。
task: interpret
says: by_name
"""

INSTEAD = {"memory[x.name] = result": "memory[x] = result"}
