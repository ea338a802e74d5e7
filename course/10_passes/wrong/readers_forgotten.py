"""Leaves the readers with the old name.

zh: 让读者还用旧名字。
task: common_subexpressions
says: missing
"""

INSTEAD = {"reading(one, same)": "reading(one, {})"}
