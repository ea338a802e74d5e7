"""Computes the new weights, and leaves the old ones.

zh: 算出了新的权重，却没有换上。
task: fit_step
says: nothing_moved
"""


def fit_step(layers, x, labels, state, t, rate=0.02):
    loss = cross_entropy(forward(x, layers), labels)
    for p, g in backward(loss).items():
        m, s = state.get(p, (0.0, 0.0))
        new, m, s = adam(p.data, g, m, s, t, rate)
        state[p] = m, s
    return float(loss.data)
