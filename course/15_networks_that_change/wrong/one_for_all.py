"""Draws once for all layers.

zh: 所有的层只抽一次。
task: layer_drop
says: one_draw
"""


def layer_drop(layers, x, rate, draw, training):
    number = draw.random() if training else 1.0
    for layer in layers:
        if number >= rate:
            x = x + layer(x) / (1.0 - rate if training else 1.0)
    return x
