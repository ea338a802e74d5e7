"""Hands back the count as it was.

zh: 把计数原样交回。
task: collatz
says: stays_0
"""

INSTEAD = {"rounds + 1]": "rounds]"}
