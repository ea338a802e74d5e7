"""Subtracts what comes second.

zh: 减去了后到的梯度。
task: backward
says: another
"""

INSTEAD = {"+ dx if": "- dx if"}
