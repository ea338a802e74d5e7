"""Counts every path: pushes a node each time it meets it.

zh: 数了每条路径：每次遇到节点都入栈。
task: arrivals
says: paths
"""


def arrivals(loss):
    count, stack = {}, [loss.node]
    while stack:
        for edge in stack.pop().edges:
            if edge is not None:
                count[edge] = count.get(edge, 0) + 1
                if isinstance(edge, Node):
                    stack.append(edge)
    return count
