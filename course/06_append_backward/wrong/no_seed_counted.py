"""Forgets the operator that begins the pass.

zh: 忘了让这一遍开始的那个算子。
task: operators_added
says: seed
"""


def operators_added():
    return 6
