"""Counts how often the condition is asked.

zh: 数的是条件被问了几次。
task: step_scopes
says: five
"""


def step_scopes():
    return 5
