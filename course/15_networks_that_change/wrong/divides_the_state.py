"""Divides the whole state.

zh: 把整个状态都除了。
task: layer_drop
says: x_as_well
"""

INSTEAD = {"x + layer(x) / (1.0": "(x + layer(x)) / (1.0"}
