"""Counts the barriers, which carry no array.

zh: 把不带数组的屏障也数了。
task: messages_of_a_step
says: barriers
"""


def messages_of_a_step():
    return 20
