"""Returns the two means in the other order.

zh: 两个平均的返回顺序反了。
task: adam
says: swapped
"""

INSTEAD = {"return w - step, m, s": "return w - step, s, m"}
