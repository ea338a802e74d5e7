"""Keeps nothing.

zh: 什么也不留。
task: run
says: forgets
"""

INSTEAD = {"scope[x.name] = values[x.name]": "pass"}
