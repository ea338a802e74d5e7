"""Tries one size only, and takes it for the batch.

zh: 只试一个大小，还把它当成批次的大小。
task: infer_shape
says: lost
"""

INSTEAD = {"for size in (2, 3):": "for size in (2, 2):"}
