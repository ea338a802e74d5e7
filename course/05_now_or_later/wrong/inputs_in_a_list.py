"""Hands the inputs over as one list.

zh: 把输入作为一个列表交出去。
task: infer_shape
says: separately
"""

INSTEAD = {"*zeros": "zeros"}
