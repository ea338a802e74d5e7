"""Forgets where the way back starts: the gradient of the loss itself.

zh: 忘了返回的路从哪里出发：损失自身的梯度。
task: added_by_minimize
says: seed
"""


def added_by_minimize():
    way_back = ["reduce_mean_grad"]
    way_back += ["elementwise_add_grad", "mul_grad"] * 2
    return way_back + ["sgd"] * 4
