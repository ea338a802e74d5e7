"""Makes the first gradient in place, so that the second starts from another dout.

zh: 第一个梯度就地算出，第二个就从别的 dout 出发了。
task: mul_rule
says: changed_input
"""


def mul_rule(dout, x, y):
    if dout.shape == x.shape == y.shape:
        dout *= y
        return dout, dout * x
    return unbroadcast(dout * y, x.shape), unbroadcast(dout * x, y.shape)
