"""Hands numbers on as they are, which have no shape for a rule to ask.

zh: 把数原样传下去，而数没有规则要问的形状。
task: interpret
says: array
"""

INSTEAD = {"np.asarray(x)": "x"}
