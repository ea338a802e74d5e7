"""Fuses products element by element, too.

zh: 把逐元素的乘积也融合了。
task: fuse_linear
says: differs
"""

INSTEAD = {"last.op is matmul": "last.op in (matmul, mul)"}
