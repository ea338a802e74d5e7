"""Infers the shape with 2 in the place of -1.

zh: 推断形状时把 -1 换成了 2。
task: append
says: shape
"""

INSTEAD = {
    "np.shape(x)": "[abs(2 * n) if n == -1 else n for n in np.shape(x)]",
}
