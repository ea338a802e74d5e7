"""Writes gradients for data as well.

zh: 给数据也写了梯度。
task: append_backward
says: data
"""

INSTEAD = {
    "x: [] for x in expected": "x: [] for one in path for x in one.inputs",
    " if wants(x) else None": "",
}
