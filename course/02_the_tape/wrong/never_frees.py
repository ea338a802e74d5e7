"""Forgets to free: what the nodes saved stays in memory after the pass.

task: backward
says: still keep what they saved
"""

import numpy as np

from teachgraph.course.tape import is_leaf, pull, vertices


def backward(loss):
    grads, leaves = {loss.edge: np.ones_like(loss.data)}, {}
    for edge in vertices(loss):
        if is_leaf(edge):
            leaves[edge] = grads[edge]
            continue
        for source, dx in pull(edge, grads[edge]):
            grads[source] = grads.get(source, 0.0) + dx
    return leaves
