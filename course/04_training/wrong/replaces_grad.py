"""Takes backward to replace the gradient.

zh: 以为 backward 会取代梯度。
task: batches_in_grad
says: one
"""

INSTEAD = {
    "return 3": "return 1",
}
