"""Lets the gradient into the baseline.

zh: 让梯度进了基线。
task: policy_loss
says: into_baseline
"""

INSTEAD = {".detach()": ""}
