"""Counts the way there, not the way back.

zh: 只数了去的路，没数返回的路。
task: ops_after_five_runs
says: wrong
"""

INSTEAD = {
    "return 9": "return 3",
}
