"""Leaves the last operator in front.

zh: 把最后的算子留在最前面。
task: prune
says: backwards
"""

INSTEAD = {"rows[::-1]": "rows"}
