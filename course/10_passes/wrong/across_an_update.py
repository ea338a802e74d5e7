"""Merges readings before and after an update.

zh: 把更新前后的读取合并了。
task: common_subexpressions
says: after_update
"""

INSTEAD = {"seen.clear()": "pass"}
