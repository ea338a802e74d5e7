"""Puts the training program into test mode.

zh: 把训练程序也变成了测试模式。
task: clone_for_test
says: mode_of_main
"""

INSTEAD = {"dict(one.attrs)": "one.attrs"}
