"""Counts characters.

zh: 数的是字符。
task: field
says: characters
"""


def field(number, value):
    if isinstance(value, int):
        return whole(number * 8) + whole(value)
    content = value.encode() if isinstance(value, str) else value
    return whole(number * 8 + 2) + whole(len(value)) + content
