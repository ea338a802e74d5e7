"""Leaves the biases out.

zh: 漏了偏置。
task: forward
says: no_bias
"""

INSTEAD = {"matmul(x, w) + b": "matmul(x, w)"}
