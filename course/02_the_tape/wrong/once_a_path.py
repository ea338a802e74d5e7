"""Runs a rule once for every path.

zh: 每条路径都运行一次规则。
task: runs_of_a_rule
says: paths
"""

INSTEAD = {
    "return 1": "return 1024",
}
