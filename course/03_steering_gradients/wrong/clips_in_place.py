"""Scales the gradient in place: others may hold the same array.

zh: 原地缩放梯度：别处可能也拿着同一个数组。
task: clip
says: changed_input
"""

INSTEAD = {
    "return g * min(1.0, most / norm) if norm > 0 else g": (
        "g *= min(1.0, most / norm) if norm > 0 else 1\n        return g"
    )
}
