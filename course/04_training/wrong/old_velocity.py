"""Goes along the velocity of the step before.

zh: 沿着上一步的速度走。
task: momentum
says: old_velocity
"""


def momentum(w, g, v, rate, mu=0.9):
    return w - rate * v, mu * v + g
