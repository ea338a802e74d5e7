"""Lets each token look at other texts.

zh: 让每个词元也看别的文字。
task: may_look
says: others
"""

INSTEAD = {"same & not_later": "not_later"}
