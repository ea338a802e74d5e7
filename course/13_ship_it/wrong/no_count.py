"""Leaves out the count.

zh: 漏了字节数。
task: field
says: no_count
"""

INSTEAD = {" + whole(len(value)) +": " +"}
