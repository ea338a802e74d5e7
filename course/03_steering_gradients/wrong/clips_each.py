"""Clips each number by itself, which turns the direction.

zh: 逐个数裁剪，方向就变了。
task: clip
says: each
"""


def clip(most):
    return lambda g: np.clip(g, -most, most)
