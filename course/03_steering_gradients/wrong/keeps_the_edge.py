"""Copies the value, edge and all.

zh: 复制了值，连边也复制了。
task: detach
says: edge
"""

INSTEAD = {
    "return Tensor(x.data)": "return Tensor(x.data, x.stop_gradient, x.node)",
}
