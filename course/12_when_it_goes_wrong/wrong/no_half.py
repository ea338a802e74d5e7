"""Forgets that a ReLU drops half.

zh: 忘了 ReLU 会丢掉一半。
task: first_weights
says: shrinks
"""

INSTEAD = {"2.0 / rows": "1.0 / rows"}
