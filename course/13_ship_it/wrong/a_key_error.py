"""Raises a KeyError.

zh: 引发的是 KeyError。
task: load
says: other_error
"""

INSTEAD = {'ValueError(f"no kernel': 'KeyError(f"no kernel'}
