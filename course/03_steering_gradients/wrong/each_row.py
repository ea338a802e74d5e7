"""Scales each row by its own norm.

zh: 每一行按自己的范数缩小。
task: clip
says: wrong
"""


def clip(most):
    def change(g):
        norm = np.sqrt(np.sum(g * g, axis=-1, keepdims=True))
        return g * np.minimum(1.0, most / np.maximum(norm, 1e-30))

    return change
