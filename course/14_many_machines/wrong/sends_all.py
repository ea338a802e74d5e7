"""Sends every gradient, those of the way between too.

zh: 把途中的梯度也都送了。
task: for_a_trainer
says: no_gradient
"""

INSTEAD = {
    "if name in gradients]": 'if "@GRAD" in name]',
}
