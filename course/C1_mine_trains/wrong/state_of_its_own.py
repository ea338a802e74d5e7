"""Keeps m and s elsewhere than in `state`.

zh: 没有把 m 和 s 存在 `state` 里。
task: fit_step
says: no_state
"""

kept = {}


def fit_step(layers, x, labels, state, t, rate=0.02):
    loss = cross_entropy(forward(x, layers), labels)
    for p, g in backward(loss).items():
        m, s = kept.get(p, (0.0, 0.0))
        p.data, *kept[p] = adam(p.data, g, m, s, t, rate)
    return float(loss.data)
