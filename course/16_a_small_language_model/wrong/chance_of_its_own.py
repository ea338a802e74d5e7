"""Draws with another generator.

zh: 用了另一个随机数生成器。
task: sample
says: other_chance
"""

INSTEAD = {"draw.choice": "np.random.default_rng().choice"}
