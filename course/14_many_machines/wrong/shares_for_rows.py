"""Puts shares in the place of the rows that it was given.

zh: 把交给它的行数换成了份额。
task: average
says: changed_input
"""


def average(gradients, rows):
    whole = sum(rows)
    rows[:] = [count / whole for count in rows]
    return sum(gradient * count for gradient, count in zip(gradients, rows))
