"""Returns the gradients by the names of the parameters.

zh: 按参数的名字返回梯度。
task: append_backward
says: variables
"""

INSTEAD = {"{x: joined(": "{x.name: joined("}
