"""Reads the arrays, past the tape.

zh: 绕过磁带，直接读数组。
task: embed
says: no_way
"""

INSTEAD = {
    "take(table, tokens)": "Tensor(table.data[tokens])",
    "take(order, places)": "Tensor(order.data[places])",
}
