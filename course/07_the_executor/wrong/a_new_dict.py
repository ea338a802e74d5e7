"""Fills a dict of its own.

zh: 装满的是自己的字典。
task: interpret
says: returned
"""

INSTEAD = {
    "return memory": "return dict(memory)",
}
