"""Takes both ways to be cut.

zh: 以为两条路都断了。
task: slope_past_a_cut
says: wrong
"""

INSTEAD = {
    "return 9.0": "return 0.0",
}
