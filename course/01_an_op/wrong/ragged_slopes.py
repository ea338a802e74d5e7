"""Gives the two terms as a list where their lengths differ.

zh: 两项长度不同，却放进一个列表返回。
task: slope
says: ragged
"""

INSTEAD = {"return first + second": "return [first, second[:1]]"}
