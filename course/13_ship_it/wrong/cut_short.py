"""Leaves out the last byte of the message.

zh: 漏了消息的最后一个字节。
task: node
says: no_message
"""

INSTEAD = {'row["type"]])])': 'row["type"]])])[:-1]'}
