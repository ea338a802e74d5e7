"""Returns the changed gradient itself, no tuple.

zh: 直接返回改变后的梯度，而不是元组。
task: hook
says: a_tuple
"""

INSTEAD = {"return (change(dout),)": "return change(dout)"}
