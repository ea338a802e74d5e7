"""Infers the shape from the Variables alone, without the constants.

zh: 只按 Variable 推断形状，漏掉了常数。
task: append
says: shape
"""

INSTEAD = {"np.shape(x) for x in inputs": "np.shape(x) for x in variables"}
