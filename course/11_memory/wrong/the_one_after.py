"""Takes the operator after it.

zh: 取的是它后面的算子。
task: highest
says: after
"""


def highest():
    return "elementwise_add_grad"
