"""Says 2 everywhere, as in the example.

zh: 处处都写 2，和例子一样。
task: arrivals
says: wrong
"""


def arrivals(loss):
    seen, stack = {}, [loss.node]
    while stack:
        for edge in stack.pop().edges:
            if edge is not None and edge not in seen:
                seen[edge] = 2
                if isinstance(edge, Node):
                    stack.append(edge)
    return seen
