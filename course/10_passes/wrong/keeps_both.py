"""Writes the fused operator besides the two.

zh: 除了那两个，还多写一个融合的。
task: fuse_linear
says: left
"""

INSTEAD = {
    "fused[-1] = Operator(": "fused += [None]\n            fused[-1] = Operator("
}
