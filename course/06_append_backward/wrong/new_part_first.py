"""Puts the new part first.

zh: 把新的一份放在最前。
task: new_part
says: added
"""

INSTEAD = {"parts.append(": "parts.insert(0, "}
