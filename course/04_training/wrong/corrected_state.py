"""Keeps the corrected means, and corrects them again next time.

zh: 把修正后的平均存了下来，下次又修正一遍。
task: adam
says: mean
"""


def adam(w, g, m, s, t, rate, beta1=0.9, beta2=0.999, eps=1e-8):
    m = (beta1 * m + (1 - beta1) * g) / (1 - beta1**t)
    s = (beta2 * s + (1 - beta2) * g * g) / (1 - beta2**t)
    return w - rate * m / (np.sqrt(s) + eps), m, s
