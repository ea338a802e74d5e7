"""Forgets the mask.

zh: 忘了掩码。
task: attention
says: future
"""

INSTEAD = {"scores + hidden": "scores"}
