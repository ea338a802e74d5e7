"""Gives parameters a lifetime.

zh: 给参数也算生存期。
task: lifetimes
says: parameter
"""

INSTEAD = {" and not x.persistable": ""}
