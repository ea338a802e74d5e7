"""Halves the odd numbers.

zh: 把奇数减半。
task: collatz
says: endless
"""

INSTEAD = {"% 2 == 0": "% 2 == 1"}
