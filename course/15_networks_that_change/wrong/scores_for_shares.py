"""Takes scores for probabilities.

zh: 把分数当成概率。
task: early_exit
says: too_early
"""

INSTEAD = {"paddle.nn.functional.softmax(scores).max()": "(4.0 * scores).max()"}
