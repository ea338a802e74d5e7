"""Puts a relu behind the scores, too.

zh: 分数后面也加了 relu。
task: digits_network
says: relu_last
"""

INSTEAD = {"size=10)": 'size=10, act="relu")'}
