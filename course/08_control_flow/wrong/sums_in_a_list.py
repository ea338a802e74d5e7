"""Returns the gradients of the weights as one list.

zh: 把各权重的梯度作为一个列表返回。
task: unwind
says: shapes
"""

INSTEAD = {"*sums]": "sums]"}
