"""Takes a running mean of the gradients, as Adam does.

zh: 像 Adam 那样对梯度取滑动平均。
task: momentum
says: mean
"""


def momentum(w, g, v, rate, mu=0.9):
    v = mu * v + (1 - mu) * g
    return w - rate * v, v
