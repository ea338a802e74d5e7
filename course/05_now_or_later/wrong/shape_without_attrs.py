"""Infers the shape without the attributes.

zh: 推断形状时没有用属性。
task: append
says: attrs_of_shape
"""

INSTEAD = {"for x in inputs], attrs)": "for x in inputs], {})"}
