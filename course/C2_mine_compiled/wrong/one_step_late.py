"""Lets go a step too late.

zh: 晚一步才放手。
task: body_lines
says: late
"""

INSTEAD = {"end == number": "end == number - 1"}
