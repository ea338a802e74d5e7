"""Replaces what an earlier pass left in grad.

zh: 取代了先前一遍留在 grad 里的值。
task: accumulate
says: replaced
"""

INSTEAD = {
    "leaf.grad = dx if leaf.grad is None else leaf.grad + dx": "leaf.grad = dx",
}
