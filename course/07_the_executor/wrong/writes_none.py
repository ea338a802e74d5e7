"""Writes outputs that nobody wants, too.

zh: 没人要的输出也写。
task: interpret
says: unwanted
"""

INSTEAD = {"if x is not None:": "if True:"}
