"""Adds the step instead of taking it off.

zh: 该减却加了。
task: momentum
says: up
"""


def momentum(w, g, v, rate, mu=0.9):
    v = mu * v + g
    return w + rate * v, v
