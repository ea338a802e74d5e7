"""Takes the buffers as they come.

zh: 缓冲区来一块放一块。
task: first_fit
says: ratio
"""

INSTEAD = {"sorted(buffers, key=lambda b: b.size, reverse=True)": "buffers"}
