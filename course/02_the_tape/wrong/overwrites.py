"""Writes = where gradients meet, so that one way of a diamond is lost.

zh: 在梯度汇合处写了 =，菱形的一条路就丢了。
task: backward
says: diamond
"""


def backward(loss, retain_graph=False):
    waiting, leaves = arrivals(loss), {}
    grads, ready = {loss.node: np.ones_like(loss.data)}, [loss.node]
    while ready:
        edge = ready.pop()
        dout = grads.pop(edge)
        if isinstance(edge, Tensor):
            leaves[edge] = dout
            continue
        for source, dx in pull(edge, dout):
            grads[source] = dx
            waiting[source] -= 1
            if waiting[source] == 0:
                ready.append(source)
        if not retain_graph:
            edge.free()
    return leaves
