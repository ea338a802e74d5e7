"""Applies softmax before cross_entropy.

zh: 在 cross_entropy 之前又做了 softmax。
task: policy_loss
says: softmax_twice
"""

INSTEAD = {
    "functional.cross_entropy(scores": "functional.cross_entropy("
    "functional.softmax(scores)"
}
