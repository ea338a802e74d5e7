"""Takes the curve for straight at 0.

zh: 以为曲线在 0 处是直的。
task: curve_at_zero
says: wrong
"""


def curve_at_zero():
    return 0.0
