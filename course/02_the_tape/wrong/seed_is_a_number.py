"""Starts with the number 1 where an array is wanted.

zh: 从数 1 开始，而这里要的是数组。
task: backward
says: no_array
"""

INSTEAD = {"np.ones_like(loss.data)": "1.0"}
