"""Puts what the heads find in the place of x.

zh: 用各头找到的代替了 x。
task: predict
says: wrong
"""

INSTEAD = {"x = x + matmul(mixed": "x = matmul(mixed"}
