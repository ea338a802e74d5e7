"""Draws one column and repeats it.

zh: 抽一列，然后重复它。
task: first_weights
says: alike
"""

INSTEAD = {
    "draw.normal(0.0, spread, (rows, columns))": (
        "np.tile(draw.normal(0.0, spread, (rows, 1)), columns)"
    ),
}
