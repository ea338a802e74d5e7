"""Makes rows of several lengths.

zh: 各行长度不同。
task: first_weights
says: ragged
"""


def first_weights(rows, columns, draw):
    spread = np.sqrt(2.0 / rows)
    return [draw.normal(0.0, spread, columns - row % 2) for row in range(rows)]
