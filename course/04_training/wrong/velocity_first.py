"""Returns the velocity before the weight.

zh: 把速度放在权重前面返回。
task: momentum
says: swapped
"""

INSTEAD = {"return w, v": "return v, w"}
