"""Puts each behind all others.

zh: 每块都放在其他各块后面。
task: first_fit
says: higher
"""

INSTEAD = {" if meet(b, one)": ""}
