"""Gives the first derivative where the second was asked for.

zh: 要的是二阶导数，给的是一阶。
task: bend_of_cube
says: value
"""

INSTEAD = {
    "return 18.0": "return 27.0",
}
