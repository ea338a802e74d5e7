"""Takes the first part for the whole.

zh: 把第一份当成整个。
task: joined
says: no_operator
"""

INSTEAD = {"len(parts) == 1": "parts"}
