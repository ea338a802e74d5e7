"""Adds the first two parts only.

zh: 只加前两份。
task: joined
says: all_parts
"""

INSTEAD = {"append_back(add_up, parts, whole)": "append_back(add_up, parts[:2], whole)"}
