"""Lets go before the call.

zh: 先放手，再调用。
task: body_lines
says: early
"""

INSTEAD = {"lines.append(f": "lines.insert(-1, f"}
