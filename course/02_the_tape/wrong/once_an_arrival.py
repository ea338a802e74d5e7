"""Runs a rule once for every gradient that arrives.

zh: 每到一份梯度就运行一次规则。
task: runs_of_a_rule
says: two
"""

INSTEAD = {
    "return 1": "return 2",
}
