"""Counts the discount from the start of the game.

zh: 从游戏开头算折扣。
task: to_go
says: from_the_start
"""


def to_go(rewards, gamma):
    each = [gamma**t * reward for t, reward in enumerate(rewards)]
    return [sum(each[t:]) for t in range(len(each))]
