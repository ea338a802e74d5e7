"""Forgets the weights.

zh: 忘了权重。
task: unwind
says: how_many
"""

INSTEAD = {"[dh, *sums]": "[dh]"}
