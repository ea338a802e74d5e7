"""Leaves out the discount.

zh: 漏了折扣。
task: to_go
says: no_discount
"""

INSTEAD = {"gamma * after": "after"}
