"""Returns a set.

zh: 返回一个集合。
task: assigned
says: not_plain
"""

INSTEAD = {"sorted(names)": "names"}
