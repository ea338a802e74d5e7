"""Takes the sum of the two for their difference.

zh: 把两者的和当成了差。
task: squared_error
says: wrong
"""

INSTEAD = {"= prediction - target": "= prediction + target"}
