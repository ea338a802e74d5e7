"""Multiplies all 44 by five.

zh: 把 44 个全乘以五。
task: fifty
says: five_times
"""


def fifty():
    return 220
