"""Depth first, without counting: a node runs as soon as one gradient has arrived.

task: backward
says: ran too early
"""

import numpy as np

from teachgraph.course.tape import free, is_leaf, pull


def backward(loss):
    grads, leaves, done = {loss.edge: np.ones_like(loss.data)}, {}, set()
    stack = [loss.edge]
    while stack:
        edge = stack.pop()
        if is_leaf(edge):
            leaves[edge] = grads[edge]
        elif edge not in done:
            done.add(edge)
            for source, dx in pull(edge, grads[edge]):
                grads[source] = grads.get(source, 0.0) + dx
                stack.append(source)
            free(edge)
    return leaves
