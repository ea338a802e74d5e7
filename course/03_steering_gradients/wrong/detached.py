"""Takes the slope without recording it, so that the penalty has no gradient.

zh: 求斜率时没有记录，所以惩罚没有梯度。
task: gradient_penalty
says: no_way_back
"""


def gradient_penalty(score, x):
    leaf = Tensor(x, stop_gradient=False)
    dx = Tensor(grad(score(leaf).sum(), leaf))
    return (dx * dx).sum()
