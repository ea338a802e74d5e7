"""Returns the weight, and no velocity.

zh: 返回了权重，却没有速度。
task: momentum
says: an_array
"""

INSTEAD = {"return w, v": "return w, None"}
