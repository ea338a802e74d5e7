"""Turns recording on afterwards, whatever it was before.

zh: 结束后一律打开记录，不管原来是什么。
task: no_grad
says: inner
"""


@contextmanager
def no_grad():
    recording.on = False
    try:
        yield
    finally:
        recording.on = True
