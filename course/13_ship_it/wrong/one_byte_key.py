"""Writes the key as one byte.

zh: 把键写成一个字节。
task: field
says: key
"""

INSTEAD = {"whole(number * 8 + 2)": "bytes([(number * 8 + 2) % 256])"}
