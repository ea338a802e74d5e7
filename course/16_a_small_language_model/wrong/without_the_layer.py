"""Forgets the layer.

zh: 忘了那一层。
task: predict
says: wrong
"""

INSTEAD = {"x = x + matmul(smooth(": "_ = x + matmul(smooth("}
