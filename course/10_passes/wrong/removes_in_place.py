"""Removes from the list that it is given.

zh: 从给它的列表里删除。
task: dead_code
says: changed
"""

INSTEAD = {"return kept[::-1]": "ops[:] = kept[::-1]\n    return ops"}
