"""Takes the mean of the difference itself, which has no minimum.

zh: 对差本身取平均，它没有最小值。
task: squared_error
says: not_squared
"""


def squared_error(prediction, target):
    return fluid.layers.mean(prediction - target)
