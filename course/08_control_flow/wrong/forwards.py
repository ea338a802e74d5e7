"""Unwinds the first round first.

zh: 从第一轮开始退回。
task: unwind
says: weights
"""

INSTEAD = {"scopes.pop()": "scopes.pop(0)"}
