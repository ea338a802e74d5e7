"""Yields twice, before and after.

zh: 前后各 yield 了一次。
task: no_grad
says: two_yields
"""

INSTEAD = {"        yield\n": "        yield\n        yield\n"}
