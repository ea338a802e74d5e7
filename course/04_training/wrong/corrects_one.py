"""Corrects m only.

zh: 只修正了 m。
task: adam
says: first
"""

INSTEAD = {"s / (1 - beta2**t)": "s"}
