"""Says that all buffers meet.

zh: 说所有的缓冲区都相遇。
task: meet
says: none
"""

INSTEAD = {"a.start <= b.end and b.start <= a.end": "True"}
