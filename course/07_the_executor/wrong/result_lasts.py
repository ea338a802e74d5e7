"""Makes the result persistable.

zh: 把结果做成了持久的。
task: py_func
says: lasts
"""

INSTEAD = {
    "shape, x.stop_gradient)": "shape, x.stop_gradient, persistable=True)",
}
