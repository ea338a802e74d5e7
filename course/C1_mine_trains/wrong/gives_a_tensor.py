"""Returns the loss as a Tensor.

zh: 返回的损失是 Tensor。
task: fit_step
says: number
"""

INSTEAD = {"float(loss.data)": "loss"}
