"""Writes a round less.

zh: 少写一轮。
task: unrolled
says: operators
"""

INSTEAD = {"range(rounds)": "range(1, rounds)"}
