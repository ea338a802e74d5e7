"""Merges what is fetched.

zh: 把要取的也合并了。
task: common_subexpressions
says: fetched
"""

INSTEAD = {"writes(new, fetch)": "writes(new, [])"}
