"""Forgets to divide.

zh: 忘了除。
task: attention
says: no_scale
"""

INSTEAD = {"matmul(q, turn(k)) * scale": "matmul(q, turn(k))"}
