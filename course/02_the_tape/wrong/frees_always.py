"""Frees what was saved, though the caller asked to keep it.

zh: 调用者要求保留，却还是释放了。
task: backward
says: not_retained
"""

INSTEAD = {
    "if not retain_graph:": "if True:",
}
