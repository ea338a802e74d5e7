"""Gives the operators of the clone a role of their own.

zh: 给克隆里的算子另取了一个 role。
task: clone_for_test
says: roles
"""

INSTEAD = {
    "one.outputs, attrs)": 'one.outputs, attrs, "test")',
}
