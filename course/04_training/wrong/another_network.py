"""Gives the optimizer the parameters of another network.

zh: 给优化器的是另一个网络的参数。
task: recipe
says: stays
"""


def recipe():
    net, other = paddle.nn.Linear(784, 10), paddle.nn.Linear(784, 10)
    optimizer = paddle.optimizer.Adam(0.002, parameters=other.parameters())
    return net, optimizer, lambda images: images, 1
