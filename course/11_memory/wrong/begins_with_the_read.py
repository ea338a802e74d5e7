"""Begins a lifetime with the last read.

zh: 从最后一次读开始算生存期。
task: lifetimes
says: begins
"""

INSTEAD = {"(lives[x][0], step)": "(step, step)"}
