"""Keeps nothing.

zh: 什么也不留。
task: run_once
says: forgets
"""

INSTEAD = {"scope[x.name] = memory[x.name]": "pass"}
