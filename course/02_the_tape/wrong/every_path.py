"""Follows every path on its own: right sums, but a rule runs once for each path.

task: backward
says: the rule of elementwise_mul ran 2 times
"""

import numpy as np

from teachgraph.course.tape import is_leaf, pull


def backward(loss):
    leaves, paths = {}, [(loss.edge, np.ones_like(loss.data))]
    while paths:
        edge, dout = paths.pop()
        if is_leaf(edge):
            leaves[edge] = leaves.get(edge, 0.0) + dout
        else:
            paths.extend(pull(edge, dout))
    return leaves
