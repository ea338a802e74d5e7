"""Hooks the numbers instead of x.

zh: 把钩子挂在数上，而不是 x 上。
task: hook
says: no_node
"""

INSTEAD = {"return same(x)": "return same(detach(x))"}
