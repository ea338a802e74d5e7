"""Takes the edges out of the nodes while it counts them.

zh: 一边数，一边把边从节点里取走了。
task: arrivals
says: took_edges
"""


def arrivals(loss):
    count, stack = {}, [loss.node]
    while stack:
        node = stack.pop()
        while node.edges:
            edge = node.edges.pop()
            if edge is not None:
                count[edge] = count.get(edge, 0) + 1
                if count[edge] == 1 and isinstance(edge, Node):
                    stack.append(edge)
    return count
