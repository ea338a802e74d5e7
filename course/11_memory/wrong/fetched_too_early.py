"""Lets go of what is fetched after its last reader.

zh: 要取的值，在最后的读者之后就放手。
task: lifetimes
says: fetched
"""

INSTEAD = {"(lives[x][0], len(ops) - 1)": "lives[x]"}
