"""Forgets what is there once.

zh: 忘了只出现一次的那些。
task: fifty
says: forward
"""


def fifty():
    return 200
