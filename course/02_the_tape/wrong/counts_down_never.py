"""Forgets to count down.

zh: 忘了递减计数。
task: backward
says: stuck
"""

INSTEAD = {"            waiting[source] -= 1\n": ""}
