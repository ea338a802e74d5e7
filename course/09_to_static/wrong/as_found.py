"""Returns a set.

zh: 返回一个集合。
task: assigned
says: unordered
"""

INSTEAD = {"sorted(names)": "names"}
