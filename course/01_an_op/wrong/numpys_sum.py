"""Sums with a function of NumPy's, which takes no Tensor.

zh: 用 NumPy 的函数求和，而它不接受 Tensor。
task: unbroadcast
says: no_tensor
"""

INSTEAD = {"dout.sum(axis=added)": "np.sum(dout, axis=added)"}
