"""Returns from within the loop, after the first layer.

zh: 在循环里就返回了，只过了第一层。
task: forward
says: shape
"""

INSTEAD = {"    return x": "        return x"}
