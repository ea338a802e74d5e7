"""Looks at the first input, which some ops do not have.

zh: 只看第一个输入，而有的算子没有输入。
task: note
says: raised
"""

INSTEAD = {"if finite(inputs) and": "if finite([inputs[0], *inputs]) and"}
