"""Returns the method that gives the number.

zh: 返回的是给出数的方法本身。
task: train_step
says: not_called
"""

INSTEAD = {"loss.item()": "loss.item"}
