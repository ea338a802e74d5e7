"""Counts layers from zero.

zh: 层从零数起。
task: early_exit
says: from_zero
"""

INSTEAD = {"start=1": "start=0"}
