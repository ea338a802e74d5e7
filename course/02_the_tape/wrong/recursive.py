"""Right on a small graph, but it calls itself: a long chain overflows the stack.

task: backward
says: raised RecursionError
"""

from collections import Counter

import numpy as np

from teachgraph.course.tape import free, is_leaf, pull, vertices


def backward(loss):
    order, grads, leaves = vertices(loss), {}, {}
    waiting = Counter(source for edge in order for source in edge.edges)

    def visit(edge, dout):
        if is_leaf(edge):
            leaves[edge] = dout
            return
        pairs = pull(edge, dout)
        free(edge)
        for source, dx in pairs:
            grads[source] = grads.get(source, 0.0) + dx
            waiting[source] -= 1
            if not waiting[source]:
                visit(source, grads[source])

    visit(loss.edge, np.ones_like(loss.data))
    return leaves
