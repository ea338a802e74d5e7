"""Makes one array of Tensors of several shapes.

zh: 把形状不同的 Tensor 合成一个数组。
task: note
says: raised
"""

INSTEAD = {
    "all(np.isfinite(x.numpy()).all() for x in tensors)": (
        "np.isfinite([x.numpy() for x in tensors]).all()"
    ),
}
