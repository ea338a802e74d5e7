"""Returns the gradient without None.

zh: 只返回梯度，没有 None。
task: take_rule
says: a_pair
"""

INSTEAD = {"return gradient, None": "return gradient"}
