"""Counts each edge once, however often it is used.

zh: 不管用了几次，每条边只数一次。
task: arrivals
says: fan_out
"""


def arrivals(loss):
    count, stack = {}, [loss.node]
    while stack:
        for edge in stack.pop().edges:
            if edge is not None and edge not in count:
                count[edge] = 1
                if isinstance(edge, Node):
                    stack.append(edge)
    return count
