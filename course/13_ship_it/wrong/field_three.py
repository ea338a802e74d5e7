"""Puts the type where ONNX has the operator's own name.

zh: 把类型放到了 ONNX 存放算子名字的地方。
task: node
says: strange_fields
"""

INSTEAD = {"field(4,": "field(3,"}
