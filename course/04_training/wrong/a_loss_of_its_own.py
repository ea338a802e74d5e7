"""Takes the cross-entropy, whatever loss it is given.

zh: 不管给的是什么损失，都用交叉熵。
task: train_step
says: own_loss
"""

INSTEAD = {
    "loss_of(scores, labels)": "paddle.nn.functional.cross_entropy(scores, labels)"
}
