"""Counts the way that is cut.

zh: 把剪断的路也算上了。
task: slope_past_a_cut
says: both
"""

INSTEAD = {
    "return 9.0": "return 27.0",
}
