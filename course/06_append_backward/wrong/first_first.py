"""Gives the path in the order of the way there.

zh: 按去的顺序给出路径。
task: path_to
says: order
"""

INSTEAD = {"return path": "return path[::-1]"}
