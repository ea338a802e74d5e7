"""Writes None for what is not known.

zh: 未知的写成了 None。
task: infer_shape
says: sizes
"""

INSTEAD = {"else -1 for": "else None for"}
