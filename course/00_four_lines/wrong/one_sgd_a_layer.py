"""Updates layers, where it is parameters that are updated.

task: added_by_minimize
says: every parameter has an `sgd` of its own
"""


def added_by_minimize():
    way_back = ["fill_constant", "reduce_mean_grad"]
    way_back += ["elementwise_add_grad", "mul_grad"] * 2
    return way_back + ["sgd"] * 2
