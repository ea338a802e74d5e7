"""Counts the units.

zh: 数的是单元。
task: numbers_to_learn
says: wrong
"""

INSTEAD = {
    "return 2 * 32 + 32 + 32 * 2 + 2": "return 34",
}
