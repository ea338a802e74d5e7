"""Takes no mean, so that the loss is no number.

zh: 没有取平均，损失就不是一个数。
task: squared_error
says: one_number
"""


def squared_error(prediction, target):
    difference = prediction - target
    return difference * difference
