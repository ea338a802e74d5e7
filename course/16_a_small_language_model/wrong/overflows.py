"""Does not subtract the largest.

zh: 没有减去最大的。
task: sample
says: raised
"""

INSTEAD = {"warm - warm.max()": "warm"}
