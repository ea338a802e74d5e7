"""Runs a node as soon as a gradient arrives, instead of when all have.

zh: 一有梯度到达就运行节点，而不是等全部到齐。
task: backward
says: again
"""


def backward(loss, retain_graph=False):
    leaves, queue = {}, [(loss.node, np.ones_like(loss.data))]
    while queue:
        edge, dout = queue.pop(0)
        if isinstance(edge, Tensor):
            leaves[edge] = leaves.get(edge, 0.0) + dout
        else:
            queue.extend(pull(edge, dout))
    return leaves
