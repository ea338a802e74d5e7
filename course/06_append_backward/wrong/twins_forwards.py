"""Walks the path from its first operator.

zh: 从路径的第一个算子走起。
task: append_backward
says: order
"""

INSTEAD = {"for operator in path": "for operator in reversed(path)"}
