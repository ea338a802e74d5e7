"""Forgets where the pass begins.

zh: 忘了这一遍从哪里开始。
task: append_backward
says: no_seed
"""

INSTEAD = {
    "append_seed(loss)": 'Variable(loss.program, f"{loss.name}@GRAD", loss.shape)',
}
