"""Says -1 for the first size, whatever the kernel does.

zh: 不管核函数做什么，第一个大小都写 -1。
task: infer_shape
says: wrong
"""

INSTEAD = {
    "a if a == b else -1 for a, b in zip(*results)": "-1, *results[0][1:]",
}
