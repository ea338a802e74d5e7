"""Calls the Op by the name of the function.

zh: 用函数的名字给 Op 取名。
task: py_func
says: op
"""

INSTEAD = {
    'Op("py_func", function, rule)': "Op(function.__name__, function, rule)",
}
