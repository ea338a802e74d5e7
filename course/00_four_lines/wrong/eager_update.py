"""Updates each layer as soon as its gradients are there.

zh: 每层的梯度一到就更新。
task: added_by_minimize
says: last
"""


def added_by_minimize():
    one_layer = ["elementwise_add_grad", "mul_grad", "sgd", "sgd"]
    return ["fill_constant", "reduce_mean_grad"] + one_layer * 2
