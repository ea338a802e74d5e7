"""Starts with the number 1 whatever the shape of the loss.

zh: 不管损失是什么形状，都从数字 1 出发。
task: backward
says: shape
"""


def backward(loss, retain_graph=False):
    waiting, leaves = arrivals(loss), {}
    grads, ready = {loss.node: np.float64(1.0)}, [loss.node]
    while ready:
        edge = ready.pop()
        dout = grads.pop(edge)
        if isinstance(edge, Tensor):
            leaves[edge] = dout
            continue
        for source, dx in pull(edge, dout):
            grads[source] = grads[source] + dx if source in grads else dx
            waiting[source] -= 1
            if waiting[source] == 0:
                ready.append(source)
        if not retain_graph:
            edge.free()
    return leaves
