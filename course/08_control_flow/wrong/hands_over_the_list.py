"""Hands the weights to the body as one list.

zh: 把权重作为一个列表交给循环体。
task: unrolled
says: multiplied
"""

INSTEAD = {"body(h, *weights)\n    return": "body(h, weights)\n    return"}
