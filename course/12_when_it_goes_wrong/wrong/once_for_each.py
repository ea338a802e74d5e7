"""Adds the op for each bad output.

zh: 每个坏输出都加一次。
task: note
says: twice
"""


def note(found, op, inputs, outputs):
    if all(np.isfinite(x.numpy()).all() for x in inputs):
        for y in outputs:
            if not np.isfinite(y.numpy()).all():
                found.append(op)
