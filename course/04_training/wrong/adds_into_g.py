"""Adds the velocity into the gradient it was given.

zh: 把速度加进了交给它的梯度里。
task: momentum
says: changed_input
"""


def momentum(w, g, v, rate, mu=0.9):
    g += mu * v
    return w - rate * g, g
