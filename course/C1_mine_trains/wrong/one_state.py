"""Keeps one m and s for all parameters.

zh: 所有参数共用一份 m 和 s。
task: fit_step
says: raised
"""


def fit_step(layers, x, labels, state, t, rate=0.02):
    loss = cross_entropy(forward(x, layers), labels)
    for p, g in backward(loss).items():
        m, s = state.get("all", (0.0, 0.0))
        p.data, m, s = adam(p.data, g, m, s, t, rate)
        state["all"] = m, s
    return float(loss.data)
