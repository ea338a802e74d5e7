"""Enters a node again for every path that leads to it.

task: arrivals
says: counted once for every path
"""

from collections import Counter


def arrivals(loss):
    count, stack = Counter(), [loss.edge]
    while stack:
        for edge in stack.pop().edges:
            if edge is not None:
                count[edge] += 1
                stack.append(edge)
    return count
