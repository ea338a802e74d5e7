"""Forgets eps, so that a gradient of 0 divides 0 by 0.

zh: 忘了 eps，梯度为 0 时就成了 0 除以 0。
task: adam
says: first
"""

INSTEAD = {
    "(np.sqrt(s_whole) + eps)": "np.sqrt(s_whole)",
}
