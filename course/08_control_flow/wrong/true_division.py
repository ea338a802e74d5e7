"""Halves by a division that gives fractions, which are rounded when n is large.

zh: 用除出小数的除法来减半，n 大时会被舍入。
task: collatz
says: round
"""

INSTEAD = {"n // 2": "n / 2"}
