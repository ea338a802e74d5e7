"""Counts also what operators read that are not on the path.

zh: 把不在路径上的算子读的也数了进去。
task: append_backward
says: alone
"""

INSTEAD = {"for one in path for x": "for one in loss.program.ops for x"}
