"""Inserts the copies into the program, too.

zh: 把副本也放进了程序。
task: again
says: inserted
"""

INSTEAD = {"copies.append(copy)": "copies.append(copy)\n        x.program.insert(copy)"}
