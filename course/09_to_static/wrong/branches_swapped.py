"""Swaps the branches.

zh: 两个分支对调了。
task: convert_if
says: another
"""

INSTEAD = {"yes, no, (": "no, yes, ("}
