"""Forgets the softplus.

zh: 忘了 softplus。
task: forward
says: no_softplus
"""


def forward(x, layers):
    for w, b in layers:
        x = matmul(x, w) + b
    return x
