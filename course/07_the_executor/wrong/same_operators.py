"""Puts the same operators into two programs.

zh: 把同样的算子放进两个程序。
task: clone_for_test
says: shares
"""

INSTEAD = {"Operator(one.op, one.inputs, one.outputs, attrs)": "one"}
