"""Returns another Variable than the sum writes.

zh: 返回的不是求和所写的那个 Variable。
task: joined
says: writes
"""

INSTEAD = {
    "return append_back(add_up, parts, whole)": "append_back(add_up, parts, whole)\n"
    "    return Variable(x.program, whole.name, x.shape)"
}
