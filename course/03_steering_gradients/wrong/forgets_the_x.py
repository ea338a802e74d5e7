"""Stops at the 6 of 6 x.

zh: 停在 6 x 的 6 上。
task: bend_of_cube
says: wrong
"""

INSTEAD = {
    "return 18.0": "return 6.0",
}
