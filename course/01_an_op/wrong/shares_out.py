"""Divides dout among the elements, as a mean would.

zh: 把 dout 平分给各个元素，那是求平均的做法。
task: sum_rule
says: wrong
"""

INSTEAD = {
    "shape),)": "shape) * dout.size / x.size,)",
}
