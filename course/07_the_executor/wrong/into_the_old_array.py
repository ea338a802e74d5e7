"""Writes into the array that is there already.

zh: 写进了已经在那里的数组。
task: interpret
says: overwritten
"""

INSTEAD = {
    "                memory[x.name] = result": """                if x.name in memory:
                    memory[x.name][...] = result
                else:
                    memory[x.name] = result""",
}
