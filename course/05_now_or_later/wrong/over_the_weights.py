"""Writes the product over the weights.

zh: 把乘积写到了权重上。
task: dense
says: overwrites
"""

INSTEAD = {'("xw", "t", "y")': '("w", "t", "y")'}
