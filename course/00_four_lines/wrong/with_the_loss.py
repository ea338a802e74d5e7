"""Takes the gradient to come with the loss.

zh: 以为梯度随损失一起写下。
task: whose_row
says: wrong
"""

INSTEAD = {
    "return 4": "return 3",
}
