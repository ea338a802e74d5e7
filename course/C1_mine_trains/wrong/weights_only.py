"""Counts the weights, and forgets the biases.

zh: 只数了权重，忘了偏置。
task: numbers_to_learn
says: biases
"""

INSTEAD = {
    "return 2 * 32 + 32 + 32 * 2 + 2": "return 128",
}
