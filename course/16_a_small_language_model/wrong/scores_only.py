"""Returns the scores only.

zh: 只返回分数。
task: predict
says: a_pair
"""

INSTEAD = {
    ", {head: s.data for head, (_, s) in found.items()}": "",
}
