"""Lets each token look at all of its text.

zh: 让每个词元看整段文字。
task: may_look
says: future
"""

INSTEAD = {"same & not_later": "same"}
