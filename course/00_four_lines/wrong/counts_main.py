"""Counts the ops of main.

zh: 数的是 main 的算子。
task: ops_in_startup
says: wrong
"""

INSTEAD = {
    "return 3": "return 9",
}
