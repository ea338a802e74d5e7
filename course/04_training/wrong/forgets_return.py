"""Takes the step but returns no loss.

zh: 走了一步，却没有返回损失。
task: train_step
says: nothing
"""

INSTEAD = {"    return loss.item()": "    loss.item()"}
