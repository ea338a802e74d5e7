"""Gives the result the shape of x.

zh: 让结果与 x 同形。
task: py_func
says: shape
"""

INSTEAD = {"name, shape,": "name, x.shape,"}
