"""Leaves batch norm in training mode.

zh: 让 batch norm 留在训练模式。
task: prune
says: in_training
"""

INSTEAD = {'attrs["is_test"] = True': "pass"}
