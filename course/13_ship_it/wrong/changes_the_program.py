"""Turns the training program itself to test mode.

zh: 把训练程序本身改成了测试模式。
task: prune
says: changed
"""

INSTEAD = {"dict(one.attrs)": "one.attrs"}
