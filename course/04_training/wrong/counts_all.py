"""Counts a batch too many.

zh: 多数了一个批次。
task: batches_in_grad
says: wrong
"""

INSTEAD = {
    "return 3": "return 4",
}
