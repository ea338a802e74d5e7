"""Draws from a generator of its own.

zh: 从自己的生成器里抽数。
task: layer_drop
says: no_draw
"""

INSTEAD = {"draw.random()": "np.random.rand()"}
