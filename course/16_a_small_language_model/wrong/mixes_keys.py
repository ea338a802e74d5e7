"""Mixes k instead of v.

zh: 混合的是 k，不是 v。
task: attention
says: mixed_shape
"""

INSTEAD = {"matmul(shares, v)": "matmul(shares, k)"}
