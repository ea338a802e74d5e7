"""Detaches the scores as well.

zh: 把分数也 detach 了。
task: policy_loss
says: cut
"""

INSTEAD = {"cross_entropy(scores,": "cross_entropy(scores.detach(),"}
