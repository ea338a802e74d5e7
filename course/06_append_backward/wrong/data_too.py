"""Goes through operators that depend on no parameter.

zh: 也经过不依赖任何参数的算子。
task: path_to
says: no_gradient
"""

INSTEAD = {
    "if out in needed and wants(out):": "if out in needed:",
    "x for x in operator.inputs if wants(x)": "operator.inputs",
}
