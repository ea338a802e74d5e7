"""Does not divide.

zh: 没有除。
task: layer_drop
says: undivided
"""

INSTEAD = {" / (1.0 - rate)": ""}
