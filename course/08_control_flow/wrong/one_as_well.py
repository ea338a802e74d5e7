"""Goes on at 1.

zh: 到了 1 还继续。
task: collatz
says: at_one
"""

INSTEAD = {"n > 1": "n >= 1"}
