"""Saves the inputs of every op, whether its rule reads them or not.

zh: 不管规则读不读，每个算子的输入都保存。
task: saved_arrays
says: add
"""

INSTEAD = {
    "return [2, 0, 0]": "return [2, 2, 1]",
}
