"""Takes the largest buffer for the peak.

zh: 把最大的一块当成峰值。
task: three_buffers
says: one
"""


def three_buffers():
    return 8
