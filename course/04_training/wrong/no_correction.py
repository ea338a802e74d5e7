"""Forgets the bias correction.

zh: 忘了偏差修正。
task: adam
says: correction
"""


def adam(w, g, m, s, t, rate, beta1=0.9, beta2=0.999, eps=1e-8):
    m = beta1 * m + (1 - beta1) * g
    s = beta2 * s + (1 - beta2) * g * g
    return w - rate * m / (np.sqrt(s) + eps), m, s
