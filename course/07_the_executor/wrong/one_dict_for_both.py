"""Gives the clone the dict of the program itself.

zh: 把原程序的字典直接给了克隆。
task: clone_for_test
says: one_dict
"""

INSTEAD = {
    "dict(program.variables)": "program.variables",
}
