"""Walks over the path in the order of the way there.

zh: 按去的顺序走这条路径。
task: append_backward
says: order
"""

INSTEAD = {
    "for operator in path:": "for operator in path[::-1]:",
    "dout = joined(out, parts[out])": "dout = joined(out, parts[out] or parts[loss])",
}
