"""Gives the gradient without a tuple.

zh: 给出的梯度不是元组。
task: py_func
says: a_tuple
"""

INSTEAD = {"(backward(dout, x),)": "backward(dout, x)"}
