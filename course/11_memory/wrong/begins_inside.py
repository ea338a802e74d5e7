"""Asks only if a begins in b.

zh: 只问 a 是否在 b 期间开始。
task: meet
says: both
"""

INSTEAD = {"a.start <= b.end and b.start <= a.end": "b.start <= a.start <= b.end"}
