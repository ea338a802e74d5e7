"""Divides by the columns, not by their root.

zh: 除以列数，而不是它的平方根。
task: attention
says: not_root
"""

INSTEAD = {"np.sqrt(q.shape[1])": "q.shape[1]"}
