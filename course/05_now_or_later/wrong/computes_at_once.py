"""Runs the kernel and keeps no operator.

zh: 直接运行核函数，没有留下算子。
task: append
says: one_operator
"""

INSTEAD = {"program.insert(Operator(op, inputs, [out], attrs))": "pass"}
