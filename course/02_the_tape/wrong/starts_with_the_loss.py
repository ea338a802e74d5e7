"""Starts with the loss instead of ones.

zh: 从损失本身出发，而不是从 1 出发。
task: backward
says: seed
"""

INSTEAD = {"np.ones_like(loss.data)": "loss.data"}
