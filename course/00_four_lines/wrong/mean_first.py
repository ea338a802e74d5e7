"""Takes the mean first and squares it.

zh: 先取平均，再平方。
task: squared_error
says: mean_first
"""


def squared_error(prediction, target):
    difference = fluid.layers.mean(prediction - target)
    return difference * difference
