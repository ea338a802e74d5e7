"""Runs a rule once for every path.

zh: 每条路径都运行一次规则。
task: runs_of_a_rule
says: paths
"""


def runs_of_a_rule():
    return 1024
