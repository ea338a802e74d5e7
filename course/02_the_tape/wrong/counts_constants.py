"""Counts the edges of constants, too.

zh: 连常数的边也数了。
task: arrivals
says: constants
"""

INSTEAD = {"if edge is not None:": "if True:"}
