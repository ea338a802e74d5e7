"""Takes the second pass to find nothing, though the graph was kept.

zh: 以为第二遍什么也找不到，其实图被保留了。
task: after_two_passes
says: wrong
"""

INSTEAD = {
    "return 216.0": "return 0.0",
}
