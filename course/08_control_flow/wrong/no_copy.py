"""Interprets the first round on the caller's own dict.

zh: 第一轮直接在调用者的字典上解释执行。
task: run_rounds
says: added
"""

INSTEAD = {"interpret(block, dict(values))": "interpret(block, values)"}
