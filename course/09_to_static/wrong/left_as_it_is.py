"""Leaves the condition as it is.

zh: 条件保持原样。
task: condition_of
says: and_left
"""


def condition_of(test):
    return ast.unparse(test)
