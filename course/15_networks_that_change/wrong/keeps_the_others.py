"""Keeps the layers that should go.

zh: 留下了该丢的层。
task: layer_drop
says: opposite
"""

INSTEAD = {">= rate": "< rate"}
