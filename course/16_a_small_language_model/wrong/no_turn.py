"""Multiplies q by k as it is.

zh: 直接用 q 乘以 k，没有转置。
task: attention
says: raised
"""

INSTEAD = {"turn(k)": "k"}
