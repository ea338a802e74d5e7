"""Keeps the first output of each operator.

zh: 每个算子只留第一个输出。
task: interpret
says: missing
"""

INSTEAD = {"zip(operator.outputs, ": "zip(operator.outputs[:1], "}
