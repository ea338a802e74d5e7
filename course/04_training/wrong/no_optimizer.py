"""Names the optimizer where one should be made.

zh: 只写了优化器的名字，而该造一个。
task: recipe
says: optimizer
"""


def recipe():
    net = paddle.nn.Linear(784, 10)
    return net, paddle.optimizer.Adam, lambda images: images, 1
