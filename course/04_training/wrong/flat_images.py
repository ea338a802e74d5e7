"""Returns squares where rows were given.

zh: 给的是一行行，返回的却是方块。
task: recipe
says: shape
"""


def recipe():
    net = paddle.nn.Linear(784, 10)
    optimizer = paddle.optimizer.SGD(0.01, parameters=net.parameters())
    return net, optimizer, lambda images: images.reshape(-1, 28, 28), 1
