"""Calls every result of an op alike.

zh: 同一个算子的结果都用同一个名字。
task: append
says: name
"""

INSTEAD = {"program.new_name(op.name)": 'op.name + "_0"'}
