"""Updates before the gradients are there.

zh: 梯度还没有，就先更新了。
task: added_by_minimize
says: last
"""

INSTEAD = {
    "return seed": "return ['sgd'] * 4 + seed",
    ' + ["sgd"] * 4': "",
}
