"""Updates each layer as soon as its gradients are there.

task: added_by_minimize
says: when the way back is done
"""


def added_by_minimize():
    one_layer = ["elementwise_add_grad", "mul_grad", "sgd", "sgd"]
    return ["fill_constant", "reduce_mean_grad"] + one_layer * 2
