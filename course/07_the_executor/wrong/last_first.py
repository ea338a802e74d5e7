"""Runs the last operator first.

zh: 先运行最后一个算子。
task: interpret
says: raised
"""

INSTEAD = {"in program.ops:": "in reversed(program.ops):"}
