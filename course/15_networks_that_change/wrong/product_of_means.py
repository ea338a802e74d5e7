"""Takes the means before the product.

zh: 先取平均，再相乘。
task: policy_loss
says: means
"""

INSTEAD = {"(rarity * better).mean()": "rarity.mean() * better.mean()"}
