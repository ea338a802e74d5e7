"""Calls every part the first one.

zh: 把每一份都叫作第一份。
task: new_part
says: name
"""

INSTEAD = {"{len(parts)}": "0"}
