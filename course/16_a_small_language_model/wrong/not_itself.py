"""Leaves out each token's look at itself.

zh: 漏掉了词元看自己。
task: pairs_of_six
says: without_itself
"""


def pairs_of_six():
    return 15
