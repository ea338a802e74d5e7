"""Leaves out `@contextmanager`.

zh: 漏了 `@contextmanager`。
task: no_grad
says: no_block
"""

INSTEAD = {"@contextmanager\n": ""}
