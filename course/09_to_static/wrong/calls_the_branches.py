"""Calls both branches instead of handing them over.

zh: 调用了两个分支，而不是把它们交过去。
task: convert_if
says: no_function
"""

INSTEAD = {
    "yes, no, ({state})": "yes({state}), no({state}), ({state})",
}
