"""Returns nothing.

zh: 什么也没有返回。
task: squared_error
says: nothing
"""

INSTEAD = {"return fluid": "loss = fluid"}
