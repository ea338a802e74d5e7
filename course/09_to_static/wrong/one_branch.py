"""Runs the first branch only.

zh: 只运行第一个分支。
task: convert_if
says: another
"""

INSTEAD = {"{block(node.orelse)}": "    pass"}
