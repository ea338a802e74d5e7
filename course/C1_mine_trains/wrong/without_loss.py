"""Forgets that the loss is an op.

zh: 忘了损失也是算子。
task: nodes_of_a_step
says: loss
"""

INSTEAD = {
    "return 6": "return 5",
}
