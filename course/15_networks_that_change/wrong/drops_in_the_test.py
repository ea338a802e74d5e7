"""Drops layers in a test, too.

zh: 测试时也丢层。
task: layer_drop
says: draws_in_test
"""

INSTEAD = {"not training": "False"}
