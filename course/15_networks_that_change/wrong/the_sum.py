"""Takes the sum.

zh: 求的是和。
task: policy_loss
says: a_sum
"""

INSTEAD = {".mean()": ".sum()"}
