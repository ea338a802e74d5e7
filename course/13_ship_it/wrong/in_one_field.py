"""Puts all names into one field.

zh: 把所有名字放进一个字段。
task: node
says: reads
"""

INSTEAD = {
    '[field(1, name) for name in row["reads"]]': '[field(1, ",".join(row["reads"]))]'
}
