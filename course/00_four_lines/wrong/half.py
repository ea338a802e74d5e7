"""Takes half of the mean, as some books do.

zh: 取了平均的一半，有些书上这样写。
task: squared_error
says: half
"""

INSTEAD = {"mean(squares)": "mean(squares) * 0.5"}
