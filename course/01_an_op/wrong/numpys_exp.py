"""Writes the sigmoid with NumPy's exp, which takes no Tensor.

zh: 用 NumPy 的 exp 写 sigmoid，而它不接受 Tensor。
task: softplus_rule
says: no_tensor
"""

INSTEAD = {"sigmoid(x)": "1.0 / (1.0 + np.exp(-x))"}
