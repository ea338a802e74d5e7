"""Gives the hidden scores 0, and e to the power of 0 is 1.

zh: 把遮住的分数设为 0，而 e 的 0 次方是 1。
task: attention
says: future
"""

INSTEAD = {"scores + hidden": "scores * mask"}
