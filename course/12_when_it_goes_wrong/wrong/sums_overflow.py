"""Asks the sum, which is infinite where all numbers are large.

zh: 去问和：数都很大时，和就是无穷大。
task: note
says: innocent
"""


def note(found, op, inputs, outputs):
    def finite(tensors):
        with np.errstate(all="ignore"):
            return all(np.isfinite(x.numpy().sum()) for x in tensors)

    if finite(inputs) and not finite(outputs):
        found.append(op)
