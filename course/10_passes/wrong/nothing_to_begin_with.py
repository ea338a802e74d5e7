"""Begins with the first operator, also where there is none.

zh: 没有算子时也从第一个算子开始。
task: fuse_linear
says: raised
"""

INSTEAD = {"fused = []": "fused = [ops[0]]\n    ops = ops[1:]"}
