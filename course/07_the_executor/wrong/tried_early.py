"""Infers the shape by calling the function.

zh: 靠调用函数来推断形状。
task: py_func
says: early
"""

INSTEAD = {"name, shape,": "name, np.shape(function(np.zeros(x.shape))),"}
