"""Counts the ops that use a value, but `x * x` uses `x` twice.

task: arrivals
says: uses x twice
"""

from collections import Counter


def arrivals(loss):
    count, stack, met = Counter(), [loss.edge], {loss.edge}
    while stack:
        for edge in {e for e in stack.pop().edges if e is not None}:
            count[edge] += 1
            if edge not in met:
                met.add(edge)
                stack.append(edge)
    return count
