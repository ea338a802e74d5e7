"""Takes every operator, needed or not.

zh: 不管需不需要，每个算子都算上。
task: path_to
says: not_needed
"""

INSTEAD = {"if out in needed and wants(out):": "if wants(out):"}
