"""Adds two at a time.

zh: 每次只加两份。
task: joined
says: no_sum
"""


def joined(x, parts):
    whole = parts[0]
    for part in parts[1:]:
        total = Variable(x.program, f"{x.name}@GRAD", x.shape)
        whole = append_back(add_up, [whole, part], total)
    return whole
