"""Forgets where the way back starts: the gradient of the loss itself.

task: added_by_minimize
says: which op makes its gradient
"""


def added_by_minimize():
    way_back = ["reduce_mean_grad"]
    way_back += ["elementwise_add_grad", "mul_grad"] * 2
    return way_back + ["sgd"] * 4
