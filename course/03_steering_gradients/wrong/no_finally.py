"""Forgets that a block may raise.

zh: 忘了块里可能引发错误。
task: no_grad
says: after_error
"""


@contextmanager
def no_grad():
    before = recording.on
    recording.on = False
    yield
    recording.on = before
