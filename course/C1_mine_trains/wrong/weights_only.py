"""Counts the weights, and forgets the biases.

zh: 只数了权重，忘了偏置。
task: numbers_to_learn
says: biases
"""


def numbers_to_learn():
    return 128
