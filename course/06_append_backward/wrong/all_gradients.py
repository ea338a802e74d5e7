"""Returns the gradients of everything, not of parameters.

zh: 返回所有东西的梯度，而不只是参数的。
task: append_backward
says: returned
"""

INSTEAD = {" if x.persistable": ""}
