"""Calls itself once for each op, which a long chain does not survive.

zh: 每个算子都递归调用一次，长链会撑不住。
task: backward
says: recursion
"""


def backward(loss, retain_graph=False):
    waiting, leaves, grads = arrivals(loss), {}, {}

    def visit(edge, dout):
        if isinstance(edge, Tensor):
            leaves[edge] = dout
            return
        for source, dx in pull(edge, dout):
            grads[source] = grads[source] + dx if source in grads else dx
            waiting[source] -= 1
            if waiting[source] == 0:
                visit(source, grads.pop(source))
        if not retain_graph:
            edge.free()

    visit(loss.node, np.ones_like(loss.data))
    return leaves
