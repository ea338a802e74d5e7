"""Starts with the number 1 whatever the shape of the loss.

zh: 不管损失是什么形状，都从数字 1 出发。
task: backward
says: seed_shape
"""

INSTEAD = {
    "ones_like(loss.data": "float64(1.0",
}
