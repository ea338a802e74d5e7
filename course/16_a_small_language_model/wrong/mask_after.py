"""Puts the mask on after softmax.

zh: 把掩码放在 softmax 之后。
task: attention
says: after
"""

INSTEAD = {
    "softmax(scores + hidden)": "softmax(scores) * mask",
}
