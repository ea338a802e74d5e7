"""Cuts the edge of x itself, which others still need.

zh: 剪断了 x 自己的边，而别人还需要它。
task: detach
says: source
"""


def detach(x):
    x.node, x.stop_gradient = None, True
    return Tensor(x.data)
