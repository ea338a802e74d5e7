"""Forgets the state itself.

zh: 忘了状态本身。
task: layer_drop
says: no_state
"""

INSTEAD = {
    "x = x + layer(x) /": "x = layer(x) /",
    "            x = x + layer(x)\n": "            x = layer(x)\n",
}
