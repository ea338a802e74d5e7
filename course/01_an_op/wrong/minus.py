"""Takes the derivative of the sine for minus the cosine.

zh: 把正弦的导数当成了负的余弦。
task: slope
says: sign
"""


def slope(x):
    return np.sin(x) - x * np.cos(x)
