"""Returns the probabilities.

zh: 返回的是概率。
task: early_exit
says: shares
"""


def early_exit(layers, exit, x, enough):
    for ran, layer in enumerate(layers, start=1):
        x = x + layer(x)
        shares = paddle.nn.functional.softmax(exit(x))
        if shares.max().item() >= enough:
            return shares, ran
    return shares, ran
