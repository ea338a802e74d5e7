"""Returns the gradient beside the number of rows.

zh: 把梯度和行数放在一起返回。
task: average
says: ragged
"""

INSTEAD = {"return whole": "return [[whole, whole], [sum(rows)]]"}
