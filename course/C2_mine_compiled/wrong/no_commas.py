"""Puts no commas between names.

zh: 名字之间没有逗号。
task: call_line
says: syntax
"""

INSTEAD = {"({', '.join(reads)})": "({' '.join(reads)})"}
