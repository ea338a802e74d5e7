"""Looks at the types only.

zh: 只看类型。
task: load
says: accepts_nobody
"""

INSTEAD = {'for name in row["reads"]:': "for name in []:"}
