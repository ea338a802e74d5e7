"""Leaves the list back to front.

zh: 列表倒着没有翻过来。
task: to_go
says: backwards
"""

INSTEAD = {"found[::-1]": "found"}
