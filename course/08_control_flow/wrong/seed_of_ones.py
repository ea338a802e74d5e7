"""Begins with ones, whatever comes from after.

zh: 不管后面传来什么，都从 1 开始。
task: unwind
says: first
"""

INSTEAD = {"    while scopes": "    dh = np.ones_like(dh)\n    while scopes"}
