"""Goes back to the end of a buffer below.

zh: 退回到下面一块的末尾。
task: first_fit
says: overlap
"""

INSTEAD = {"max(one.offset, other.offset + other.size)": "other.offset + other.size"}
