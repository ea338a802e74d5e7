"""Saves the output of multiply, which its rule never reads.

zh: 保存了乘法的输出，而它的规则从不读它。
task: saved_arrays
says: mul
"""

INSTEAD = {
    "return [2, 0, 0]": "return [3, 0, 0]",
}
