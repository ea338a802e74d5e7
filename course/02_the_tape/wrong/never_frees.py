"""Keeps what every node saved, whether asked to or not.

zh: 不管要不要，每个节点保存的东西都留着。
task: backward
says: not_freed
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
    return leaves
