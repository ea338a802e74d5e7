"""Changes the operators themselves.

zh: 直接改动算子本身。
task: common_subexpressions
says: changed
"""

INSTEAD = {
    "new = reading(one, same)": "one.inputs = reading(one, same).inputs; new = one"
}
