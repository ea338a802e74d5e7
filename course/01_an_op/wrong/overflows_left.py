"""Lets e^800 arise on the left.

zh: 让 e^800 出现在左边。
task: softplus
says: overflow
"""

INSTEAD = {"np.maximum(x, 0.0)": "x", "-np.abs(x)": "-x"}
