"""Keeps apart what calls Python, and merges dropouts.

zh: 留下了 Python 调用，却合并了 dropout。
task: common_subexpressions
says: dropout
"""

INSTEAD = {"pure(new)": 'new.op.name != "py_func"'}
