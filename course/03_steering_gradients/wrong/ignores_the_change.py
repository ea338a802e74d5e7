"""Passes the gradient on as it is.

zh: 把梯度原样传了下去。
task: hook
says: times
"""


def hook(x, change):
    return Op("hook", lambda value: value, lambda dout, value: (dout,))(x)
