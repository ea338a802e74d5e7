"""Hands nothing back from the body.

zh: 循环体什么也不交回。
task: convert_while
says: no_state
"""

INSTEAD = {"{block(node.body)}\n    return {state}": "{block(node.body)}"}
