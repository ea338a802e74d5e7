"""Leaves out the gradients, not the updates.

zh: 去掉了梯度，却没去掉更新。
task: clone_for_test
says: trains
"""

INSTEAD = {'one.role == "forward"': 'one.role != "backward"'}
