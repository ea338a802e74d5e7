"""Lets go before the last reader.

zh: 在最后的读者之前就放手。
task: body_lines
says: early
"""

INSTEAD = {"end == number": "end == number + 1"}
