"""Gives the value of x³ instead of its second derivative.

zh: 给出的是 x³ 的值，而不是二阶导数。
task: bend_of_cube
says: value
"""

INSTEAD = {
    "return 12.0": "return 8.0",
}
