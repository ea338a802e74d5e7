"""Returns NaN where no weight was drawn.

zh: 没有抽取的地方是 NaN。
task: first_weights
says: not_a_number
"""

INSTEAD = {"return draw.normal(": "return np.nan * draw.normal("}
