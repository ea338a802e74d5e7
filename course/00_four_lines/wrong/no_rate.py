"""Counts the parameters, and forgets the learning rate.

zh: 只数了参数，忘了学习率。
task: ops_in_startup
says: rate
"""

INSTEAD = {
    "return 3": "return 2",
}
