"""Returns the count from before the loop.

zh: 返回循环之前的计数。
task: collatz
says: before
"""

INSTEAD = {
    "return paddle.static": "paddle.static",
    "[n, rounds])[1]": "[n, rounds])\n    return rounds",
}
