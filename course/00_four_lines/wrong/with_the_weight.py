"""Takes the gradient to come with the weight.

zh: 以为梯度随权重一起写下。
task: whose_row
says: layer
"""


def whose_row():
    return 2
