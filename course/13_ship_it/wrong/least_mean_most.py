"""Gives the least, the mean and the largest.

zh: 给出最小、平均和最大。
task: measured
says: quartiles
"""

INSTEAD = {"np.percentile(seconds, [25, 50, 75])": "min(seconds), np.mean(seconds), 9"}
