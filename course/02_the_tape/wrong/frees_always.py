"""Frees what was saved, though the caller asked to keep it.

zh: 调用者要求保留，却还是释放了。
task: backward
says: not_retained
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
            grads[source] = grads[source] + dx if source in grads else dx
            waiting[source] -= 1
            if waiting[source] == 0:
                ready.append(source)
        if True:
            edge.free()
    return leaves
