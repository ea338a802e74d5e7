"""Makes the new Variables persistable.

zh: 把新的 Variable 做成了持久的。
task: again
says: lasts
"""

INSTEAD = {
    "Variable(x.program, name, x.shape)": (
        "Variable(x.program, name, x.shape, persistable=True)"
    )
}
