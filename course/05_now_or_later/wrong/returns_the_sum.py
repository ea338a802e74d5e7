"""Returns what relu reads.

zh: 返回 relu 所读的那个。
task: dense
says: result
"""

INSTEAD = {"return y": "return t"}
