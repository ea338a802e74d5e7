"""Puts the result into a new leaf.

zh: 把结果放进一个新的叶子。
task: gradient_penalty
says: no_way_back
"""

INSTEAD = {"(dx * dx).sum()": "Tensor(np.sum(dx.data**2), stop_gradient=False)"}
