"""Stops before the last round.

zh: 在最后一轮之前停下。
task: collatz
says: wrong
"""

INSTEAD = {"n > 1": "n > 2"}
