"""Changes the operators themselves.

zh: 直接改动算子本身。
task: again
says: changed
"""

INSTEAD = {"copy = reading(one, same)": "copy = one"}
