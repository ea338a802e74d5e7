"""Takes the gradient to come with the weight.

zh: 以为梯度随权重一起写下。
task: whose_row
says: layer
"""

INSTEAD = {
    "return 4": "return 2",
}
