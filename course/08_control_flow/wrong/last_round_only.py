"""Keeps for a weight what the first round gave.

zh: 权重只留下第一轮给的那份。
task: unwind
says: weights
"""

INSTEAD = {"sums[k] += ": "sums[k] = "}
