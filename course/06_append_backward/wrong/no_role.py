"""Appends the sum as an operator of the way there.

zh: 把求和当作去路上的算子来追加。
task: joined
says: role
"""


def joined(x, parts):
    if len(parts) == 1:
        return parts[0]
    whole = Variable(x.program, f"{x.name}@GRAD", x.shape)
    x.program.insert(Operator(add_up, parts, [whole]))
    return whole
