"""Leaves out the baseline.

zh: 漏了基线。
task: policy_loss
says: no_baseline
"""

INSTEAD = {"earned - guesses.detach()": "earned"}
