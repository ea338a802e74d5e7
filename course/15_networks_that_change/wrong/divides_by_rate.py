"""Divides by the rate.

zh: 除以了 rate。
task: layer_drop
says: by_rate
"""

INSTEAD = {"(1.0 - rate)": "rate"}
