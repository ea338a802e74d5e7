"""Asks the count where it means n.

zh: 条件问的是计数，而不是 n。
task: collatz
says: never
"""

INSTEAD = {"def above_one(n, rounds)": "def above_one(rounds, n)"}
