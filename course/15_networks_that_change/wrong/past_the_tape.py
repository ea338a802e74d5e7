"""Takes x off the tape before each layer adds to it.

zh: 每层加上去之前都把 x 从磁带上取下来。
task: layer_drop
says: gradient
"""

INSTEAD = {
    "x = x + layer(x) / (1.0 - rate)": "x = x.detach() + layer(x) / (1.0 - rate)",
}
