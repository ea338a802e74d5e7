"""Counts the loss's own node too, at which nothing arrives.

zh: 把损失自己的节点也数进去了，而那里什么也不会到达。
task: arrivals
says: loss
"""


def arrivals(loss):
    count, stack, seen = {loss.node: 1}, [loss.node], {loss.node}
    while stack:
        for edge in stack.pop().edges:
            if edge is not None:
                count[edge] = count.get(edge, 0) + 1
                if edge not in seen and isinstance(edge, Node):
                    seen.add(edge)
                    stack.append(edge)
    return count
