"""Puts a softplus after the last layer too.

zh: 最后一层之后也加了 softplus。
task: forward
says: after_the_last
"""


def forward(x, layers):
    for w, b in layers:
        x = smooth(matmul(x, w) + b)
    return x
