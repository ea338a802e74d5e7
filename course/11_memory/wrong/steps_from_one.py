"""Counts the steps from 1.

zh: 步从 1 数起。
task: lifetimes
says: begins
"""

INSTEAD = {"enumerate(ops)": "enumerate(ops, 1)"}
