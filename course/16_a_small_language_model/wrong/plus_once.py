"""Adds with +=, which NumPy does once for each row.

zh: 用 += 相加，NumPy 对每一行只做一次。
task: take_rule
says: once
"""

INSTEAD = {"np.add.at(gradient, index, dout)": "gradient[index] += dout"}
