"""Updates layers, where it is parameters that are updated.

zh: 更新的是层，而该更新的是参数。
task: added_by_minimize
says: sgd
"""


def added_by_minimize():
    way_back = ["fill_constant", "reduce_mean_grad"]
    way_back += ["elementwise_add_grad", "mul_grad"] * 2
    return way_back + ["sgd"] * 2
