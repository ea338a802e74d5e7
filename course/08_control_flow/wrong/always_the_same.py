"""Hands the gradient of the end to each round.

zh: 把末尾的梯度交给每一轮。
task: unwind
says: first
"""

INSTEAD = {
    "    dh = scope[": "    first = scope[",
    "return [dh": "return [first if len(scopes) < 0 else dh",
}
