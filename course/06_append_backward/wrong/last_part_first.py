"""Adds the parts from the last to the first.

zh: 从最后一份加到第一份。
task: joined
says: order
"""

INSTEAD = {"parts, whole)": "parts[::-1], whole)"}
