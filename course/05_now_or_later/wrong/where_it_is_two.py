"""Takes every 2 of one trial for an unknown size.

zh: 把一次试算里的每个 2 都当成未知大小。
task: infer_shape
says: wrong
"""

INSTEAD = {
    "a if a == b else -1": "-1 if a == 2 else a",
}
