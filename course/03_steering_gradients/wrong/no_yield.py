"""Turns the switch off and on again, with no place for the block.

zh: 把开关关掉又打开，却没有给块留位置。
task: no_grad
says: no_yield
"""

INSTEAD = {"        yield\n": "        pass\n"}
