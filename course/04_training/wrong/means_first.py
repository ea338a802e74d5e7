"""Returns the means before the weight.

zh: 把两个平均放在权重前面返回。
task: adam
says: swapped
"""

INSTEAD = {"return w - step, m, s": "return m, s, w - step"}
