"""Stops after one epoch.

zh: 一轮就停了。
task: recipe
says: wrong
"""


def recipe():
    net = paddle.nn.Linear(784, 10)
    optimizer = paddle.optimizer.SGD(0.01, parameters=net.parameters())
    return net, optimizer, lambda images: images, 1
