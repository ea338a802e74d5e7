"""Returns the state instead of the scores.

zh: 返回的是状态，不是分数。
task: early_exit
says: the_state
"""

INSTEAD = {
    "            return scores, ran": "            return x, ran",
    "\n    return scores, ran": "\n    return x, ran",
}
