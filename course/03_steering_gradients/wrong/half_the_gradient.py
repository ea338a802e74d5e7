"""Hands on half of the gradient.

zh: 只交出一半的梯度。
task: hook
says: whole
"""

INSTEAD = {"change(dout)": "change(dout / 2)"}
