"""Adds into the first gradient.

zh: 加进了第一个梯度里。
task: average
says: changed_input
"""

INSTEAD = {
    "whole = np.zeros(gradients[0].shape)": "whole = gradients[0]",
}
