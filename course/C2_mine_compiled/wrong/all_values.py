"""Lets none go.

zh: 一个也不放手。
task: values_at_once
says: kept
"""


def values_at_once():
    return 4
