"""Takes each run to write the ops again.

zh: 以为每次运行都会再写一遍算子。
task: ops_after_five_runs
says: times
"""

INSTEAD = {
    "return 9": "return 45",
}
