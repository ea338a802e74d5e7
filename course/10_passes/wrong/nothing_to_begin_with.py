"""Begins with the first operator, also where there is none.

zh: 没有算子时也从第一个算子开始。
task: fuse_linear
says: raised
"""

INSTEAD = {
    "    fused = []\n    for one in ops:": "    fused = [ops[0]]\n    for one in ops[1:]:",
}
