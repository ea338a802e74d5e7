"""Forgets the mode of dropout.

zh: 忘了 dropout 的模式。
task: clone_for_test
says: mode
"""

INSTEAD = {'attrs["is_test"] = True': "pass"}
