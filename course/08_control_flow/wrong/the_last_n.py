"""Returns the last n.

zh: 返回最后的 n。
task: collatz
says: the_number
"""

INSTEAD = {"[n, rounds])[1]": "[n, rounds])[0]"}
