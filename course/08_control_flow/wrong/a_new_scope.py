"""Interprets the way back without what the round computed.

zh: 返回时没有用这一轮算出的东西。
task: unwind
says: not_there
"""

INSTEAD = {"scope = scopes.pop()": "scope = {} if scopes.pop() else None"}
