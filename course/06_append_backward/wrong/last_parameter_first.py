"""Joins the parts of the last parameter first.

zh: 先合并最后一个参数的各份。
task: append_backward
says: joins
"""

INSTEAD = {"for x in expected if x.pers": "for x in reversed(expected) if x.pers"}
