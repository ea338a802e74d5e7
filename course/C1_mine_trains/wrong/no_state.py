"""Forgets m and s from step to step.

zh: 每一步都忘掉 m 和 s。
task: fit_step
says: wrong
"""


def fit_step(layers, x, labels, state, t, rate=0.02):
    loss = cross_entropy(forward(x, layers), labels)
    for p, g in backward(loss).items():
        p.data, m, s = adam(p.data, g, 0.0, 0.0, t, rate)
    return float(loss.data)
