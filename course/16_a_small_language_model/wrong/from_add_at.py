"""Returns the result of `np.add.at`, which works in place and returns None.

zh: 返回了 `np.add.at` 的结果，而它就地工作，返回 None。
task: take_rule
says: no_numbers
"""

INSTEAD = {
    "    np.add.at(gradient, index, dout)\n": "",
    "return gradient, None": "return np.add.at(gradient, index, dout), None",
}
