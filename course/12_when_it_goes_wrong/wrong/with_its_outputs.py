"""Adds the op together with what it made.

zh: 把算子和它造出的东西一起加进去。
task: note
says: name
"""

INSTEAD = {"found.append(op)": "found.append((op, outputs))"}
