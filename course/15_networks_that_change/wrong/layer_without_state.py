"""Forgets that a layer adds to the state.

zh: 忘了层是往状态上加的。
task: early_exit
says: no_state
"""

INSTEAD = {"x = x + layer(x)": "x = layer(x)"}
