"""Appends to the list, so that the operator does not know its program.

zh: 直接加到列表里，于是算子不知道自己的程序。
task: append
says: inserted
"""

INSTEAD = {"program.insert(": "program.ops.append("}
