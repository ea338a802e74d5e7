"""Reads the old values.

zh: 读的是旧值。
task: again
says: reads
"""

INSTEAD = {"reading(one, same)": "reading(one, {})"}
