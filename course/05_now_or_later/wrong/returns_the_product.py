"""Returns the product, not the output of relu.

zh: 返回了乘积，而不是 relu 的输出。
task: dense
says: result
"""

INSTEAD = {"return y": 'return t.block.var("b")'}
