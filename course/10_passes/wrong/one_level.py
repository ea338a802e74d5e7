"""Compares the operators as they were.

zh: 比较的是原来的算子。
task: common_subexpressions
says: twice
"""

INSTEAD = {"signature(new)": "signature(one)"}
