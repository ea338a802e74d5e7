"""Ends a lifetime with the write.

zh: 写下时就结束生存期。
task: lifetimes
says: ends
"""

INSTEAD = {"(lives[x][0], step)": "lives[x]"}
