"""Halves the odd numbers.

zh: 把奇数减半。
task: collatz
says: round
"""

INSTEAD = {"% 2 == 0": "% 2 == 1"}
