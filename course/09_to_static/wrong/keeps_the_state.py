"""Gives back nothing of what the body changed.

zh: 循环体改变的东西一样也不交回。
task: convert_while
says: endless
"""

INSTEAD = {"{block(node.body)}": "    {state} = {state}"}
