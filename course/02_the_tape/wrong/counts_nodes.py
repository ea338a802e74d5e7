"""Finds everything, but says 1 of each: the fan-out is not seen.

task: arrivals
says: so 2 arrive, not 1
"""

from collections import Counter


def arrivals(loss):
    count, stack = Counter(), [loss.edge]
    while stack:
        for edge in stack.pop().edges:
            if edge is not None and edge not in count:
                count[edge] = 1
                stack.append(edge)
    return count
