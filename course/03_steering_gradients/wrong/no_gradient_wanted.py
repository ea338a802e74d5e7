"""Makes a Tensor that takes no gradient.

zh: 造了一个不接收梯度的 Tensor。
task: gradient_penalty
says: no_leaf
"""

INSTEAD = {"Tensor(x, stop_gradient=False)": "Tensor(x)"}
