"""Keeps the names of Paddle.

zh: 沿用 Paddle 的名字。
task: node
says: paddle_name
"""

INSTEAD = {'kinds[row["type"]]': 'row["type"]'}
