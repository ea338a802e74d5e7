"""Calls the first operator always.

zh: 总是调用第一个算子。
task: call_line
says: number
"""

INSTEAD = {"f{number}": "f0"}
