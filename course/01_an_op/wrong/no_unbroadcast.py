"""Does not sum over the copies that broadcasting made.

zh: 没有对广播产生的副本求和。
task: mul_rule
says: shape
"""


def mul_rule(dout, x, y):
    return dout * y, dout * x
