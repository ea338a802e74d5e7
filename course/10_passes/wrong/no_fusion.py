"""Fuses nothing.

zh: 什么也不融合。
task: fuse_linear
says: fused
"""

INSTEAD = {"one.op is add": "one.op is matmul"}
