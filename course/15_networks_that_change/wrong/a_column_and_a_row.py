"""Multiplies a column by a row.

zh: 拿一列去乘一行。
task: policy_loss
says: means
"""

INSTEAD = {"(rarity * better)": "(rarity.reshape([-1, 1]) * better)"}
