"""Returns the weight, and no means.

zh: 返回了权重，却没有两个平均。
task: adam
says: an_array
"""

INSTEAD = {"return w - step, m, s": "return w - step, None, None"}
