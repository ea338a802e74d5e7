"""Hands on what the first branch assigns.

zh: 只传第一个分支赋值的名字。
task: convert_if
says: fails
"""

INSTEAD = {"[*node.body, *node.orelse]": "node.body"}
