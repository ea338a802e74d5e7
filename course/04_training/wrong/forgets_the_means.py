"""Forgets the means after each step.

zh: 每一步之后都忘掉平均。
task: adam
says: mean
"""

INSTEAD = {"return w - step, m, s": "return w - step, 0.0 * m, 0.0 * s"}
