"""Changes the value on the way back.

zh: 返回时改变的是值。
task: hook
says: value
"""

INSTEAD = {"change(dout)": "change(value)"}
