"""Takes the first Variable's shape for that of the result.

zh: 把第一个 Variable 的形状当作结果的形状。
task: append
says: shape
"""

INSTEAD = {
    "infer_shape(op.kernel, [np.shape(x) for x in inputs], attrs)": (
        "variables[0].shape"
    )
}
