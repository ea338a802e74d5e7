"""Drops the attributes.

zh: 丢掉了属性。
task: append
says: attrs
"""

INSTEAD = {"Operator(op, inputs, [out], attrs)": "Operator(op, inputs, [out])"}
