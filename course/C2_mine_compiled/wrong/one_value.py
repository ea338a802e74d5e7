"""Counts only what is written.

zh: 只数写下的那个。
task: values_at_once
says: only_one
"""


def values_at_once():
    return 1
