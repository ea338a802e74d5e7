"""Changes the value on the way there.

zh: 在去程就改变了值。
task: hook
says: forward
"""


def hook(x, change):
    return Op("hook", change, lambda dout, value: (change(dout),))(x)
