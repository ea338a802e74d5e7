"""Scales the mean that it was given, in place.

zh: 就地缩放了交给它的平均。
task: adam
says: changed_input
"""


def adam(w, g, m, s, t, rate, beta1=0.9, beta2=0.999, eps=1e-8):
    m *= beta1
    m += (1 - beta1) * g
    s = beta2 * s + (1 - beta2) * g * g
    m_whole, s_whole = m / (1 - beta1**t), s / (1 - beta2**t)
    return w - rate * m_whole / (np.sqrt(s_whole) + eps), m, s
