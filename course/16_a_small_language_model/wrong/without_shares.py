"""Draws without the shares.

zh: 抽取时没有用份额。
task: sample
says: even
"""

INSTEAD = {"len(shares), p=shares": "len(shares)"}
