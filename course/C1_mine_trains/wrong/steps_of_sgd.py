"""Takes steps of SGD.

zh: 走的是 SGD 的步。
task: fit_step
says: first
"""


def fit_step(layers, x, labels, state, t, rate):
    loss = cross_entropy(forward(x, layers), labels)
    for p, g in backward(loss).items():
        p.data = p.data - rate * g
    return float(loss.data)
