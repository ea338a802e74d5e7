"""Hands the labels over before the scores.

zh: 先交标签，再交分数。
task: train_step
says: labels_first
"""

INSTEAD = {"loss_of(scores, labels)": "loss_of(labels, scores)"}
