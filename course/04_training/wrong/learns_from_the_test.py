"""Learns from the digits that it is to be tested on.

zh: 用要考它的那些数字来学。
task: recipe
says: learnt_before
"""


def recipe():
    from teachgraph.course.digits import test_digits

    net = paddle.nn.Linear(784, 10)
    optimizer = paddle.optimizer.Adam(0.002, parameters=net.parameters())
    images, labels = map(paddle.to_tensor, test_digits())
    for _ in range(20):
        paddle.nn.functional.cross_entropy(net(images), labels).backward()
        optimizer.step()
        optimizer.clear_grad()
    return net, optimizer, lambda images: images, 1
