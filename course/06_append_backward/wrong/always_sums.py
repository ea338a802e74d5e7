"""Appends a sum of one part.

zh: 只有一份也追加 sum。
task: joined
says: needless
"""

INSTEAD = {"len(parts) == 1": "len(parts) == 0"}
