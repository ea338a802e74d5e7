"""Counts in a Variable that is not in the state.

zh: 用不在状态里的 Variable 计数。
task: collatz
says: outside
"""

INSTEAD = {"rounds + 1]": "rounds]"}
