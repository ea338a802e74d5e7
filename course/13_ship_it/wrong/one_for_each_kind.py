"""Thinks that ten digits get ten answers.

zh: 以为十种数字有十种答案。
task: different_answers
says: digits
"""


def different_answers():
    return 10
