"""Answers by a truth value.

zh: 用真假值来回答。
task: batches_in_grad
says: is_number
"""

INSTEAD = {
    "return 3": "return True",
}
