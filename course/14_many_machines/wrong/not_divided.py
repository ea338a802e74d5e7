"""Forgets to divide by all rows.

zh: 忘了除以总行数。
task: average
says: wrong
"""

INSTEAD = {
    "(count / sum(rows))": "count",
}
