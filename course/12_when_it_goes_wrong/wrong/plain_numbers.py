"""Draws plain normal numbers.

zh: 抽取普通的正态数。
task: first_weights
says: grows
"""

INSTEAD = {"0.0, spread, ": "0.0, 1.0, "}
