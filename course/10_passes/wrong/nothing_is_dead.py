"""Keeps everything.

zh: 什么都留下。
task: dead_code
says: dead
"""

INSTEAD = {"writes(one, needed) or not pure(one)": "one"}
