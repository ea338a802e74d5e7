"""Adds in place into an array that others share.

zh: 就地加到别人也在用的数组上。
task: backward
says: in_place
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
            if source in grads:
                grads[source] += dx
            else:
                grads[source] = dx
            waiting[source] -= 1
            if waiting[source] == 0:
                ready.append(source)
        if not retain_graph:
            edge.free()
    return leaves
