"""Counts every path: pushes a node each time it meets it.

zh: 数了每条路径：每次遇到节点都入栈。
task: arrivals
says: paths
"""

INSTEAD = {
    "if count[edge] == 1 and isinstance(edge, Node):": "if isinstance(edge, Node):",
}
