"""Begins with zeros.

zh: 从零开始。
task: first_weights
says: zeros
"""


def first_weights(rows, columns, draw):
    return np.zeros((rows, columns))
