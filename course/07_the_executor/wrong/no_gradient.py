"""Lets no gradient through.

zh: 不让梯度通过。
task: py_func
says: stop
"""

INSTEAD = {", x.stop_gradient": ""}
