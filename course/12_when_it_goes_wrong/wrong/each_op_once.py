"""Leaves out an op that was a first cause before.

zh: 漏掉了以前已是最初原因的算子。
task: note
says: again
"""

INSTEAD = {
    "if finite(inputs) and": "if op not in found and finite(inputs) and",
}
