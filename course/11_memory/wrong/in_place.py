"""Lets a result lie over what its operator still reads.

zh: 让结果放在自己的算子还在读的值上。
task: meet
says: both
"""

INSTEAD = {"a.start <= b.end": "a.start < b.end"}
