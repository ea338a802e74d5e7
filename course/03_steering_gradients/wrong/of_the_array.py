"""Differentiates at the array, which leaves no edge.

zh: 对数组求导，而数组没有边。
task: gradient_penalty
says: no_leaf
"""

INSTEAD = {"Tensor(x, stop_gradient=False)": "x"}
