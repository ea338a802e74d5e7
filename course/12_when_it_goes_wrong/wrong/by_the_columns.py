"""Divides by the number of outputs, not of inputs.

zh: 除以输出的个数，而不是输入的个数。
task: first_weights
says: grows
"""

INSTEAD = {"2.0 / rows": "2.0 / columns"}
