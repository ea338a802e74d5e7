"""Goes back in the order of the way there: `mul_grad` before `elementwise_add_grad`.

zh: 按来时的顺序返回：`mul_grad` 排在 `elementwise_add_grad` 前面。
task: added_by_minimize
says: order
"""


def added_by_minimize():
    way_back = ["fill_constant", "reduce_mean_grad"]
    way_back += ["mul_grad", "elementwise_add_grad"] * 2
    return way_back + ["sgd"] * 4
