"""Gives the step of SGD.

zh: 给出的是 SGD 的一步。
task: first_step
says: sgd
"""

INSTEAD = {
    "return 0.001": "return 0.1",
}
