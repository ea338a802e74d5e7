"""Renames a part that is alone.

zh: 只有一份也改了名字。
task: new_part
says: only_one
"""

INSTEAD = {"if expected > 1:": "if expected:"}
