"""Puts every buffer at the bottom.

zh: 把每块都放在最底下。
task: first_fit
says: overlap
"""

INSTEAD = {"max(one.offset, other.offset + other.size)": "0"}
