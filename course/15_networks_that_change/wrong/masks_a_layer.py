"""Runs each layer, and multiplies what is left out by 0.

zh: 每层都运行，再把丢掉的乘以 0。
task: layer_drop
says: masked
"""


def layer_drop(layers, x, rate, draw, training):
    for layer in layers:
        keep = draw.random() >= rate if training else True
        x = x + layer(x) * float(keep) / (1.0 - rate if training else 1.0)
    return x
