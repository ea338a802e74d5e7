"""Appends to a program that nobody has.

zh: 追加到了一个谁也没有的程序里。
task: append
says: elsewhere
"""

INSTEAD = {"variables[0].program": "Program()"}
