"""Blames every op with bad outputs.

zh: 责怪每个输出坏掉的算子。
task: note
says: not_first
"""

INSTEAD = {"finite(inputs) and not": "not"}
