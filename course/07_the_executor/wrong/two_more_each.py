"""Takes a test for two updates.

zh: 把一次测试当成两次更新。
task: updates
says: wrong
"""


def updates():
    return 7
