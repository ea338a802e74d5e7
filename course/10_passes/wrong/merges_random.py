"""Merges what draws random numbers.

zh: 把抽随机数的也合并了。
task: common_subexpressions
says: dropout
"""

INSTEAD = {" and pure(new)": ""}
