"""Takes the step scopes for one dict.

zh: 以为步作用域是一个字典。
task: step_scopes
says: one
"""


def step_scopes():
    return 1
