"""Turns up the learning rate.

zh: 调高学习率。
task: cures
says: sick
"""

INSTEAD = {'{"activation": "relu", "weights": "he"}': '{"rate": 3.0}'}
