"""Takes ONNX's Mul, which goes element by element.

zh: 用了 ONNX 的 Mul，那是逐元素的。
task: node
says: op_type
"""

INSTEAD = {'"mul": "MatMul"': '"mul": "Mul"'}
