"""Forgets the squares.

zh: 忘了平方。
task: gradient_penalty
says: value
"""


def gradient_penalty(score, x):
    leaf = Tensor(x, stop_gradient=False)
    dx = grad(score(leaf).sum(), leaf, create_graph=True)
    return dx.sum()
