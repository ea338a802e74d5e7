"""Lets nothing go.

zh: 什么也不放手。
task: body_lines
says: late
"""

INSTEAD = {"if done:": "if done and not lives:"}
