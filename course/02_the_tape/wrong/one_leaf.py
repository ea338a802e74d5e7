"""Returns the gradient of one leaf only.

zh: 只返回一个叶子的梯度。
task: backward
says: which
"""


def backward(loss, retain_graph=False):
    waiting, leaves = arrivals(loss), {}
    grads, ready = {loss.node: np.ones_like(loss.data)}, [loss.node]
    while ready:
        edge = ready.pop()
        dout = grads.pop(edge)
        if isinstance(edge, Tensor):
            leaves = {edge: dout}
            continue
        for source, dx in pull(edge, dout):
            grads[source] = grads[source] + dx if source in grads else dx
            waiting[source] -= 1
            if waiting[source] == 0:
                ready.append(source)
        if not retain_graph:
            edge.free()
    return leaves
