"""Takes the second pass to replace the first.

zh: 以为第二遍会取代第一遍。
task: after_two_passes
says: replaced
"""

INSTEAD = {
    "return 216.0": "return 108.0",
}
