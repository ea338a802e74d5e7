"""Hands the attributes over as one more input.

zh: 把属性当作又一个输入交出去。
task: infer_shape
says: attributes
"""

INSTEAD = {"**attrs": "attrs"}
