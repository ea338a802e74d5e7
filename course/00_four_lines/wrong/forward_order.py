"""Goes back in the order of the way there: `mul_grad` before `elementwise_add_grad`.

task: added_by_minimize
says: the op that ran last comes first
"""


def added_by_minimize():
    way_back = ["fill_constant", "reduce_mean_grad"]
    way_back += ["mul_grad", "elementwise_add_grad"] * 2
    return way_back + ["sgd"] * 4
