"""Lets the scope hide what is fed.

zh: 让 scope 盖住了喂进来的。
task: run_once
says: half_done
"""


def run_once(program, feed, fetch, scope):
    for operator in program.ops:
        arrays = [
            {**scope, **feed}.get(x.name, 0.0) if isinstance(x, Variable) else x
            for x in operator.inputs
        ]
        feed = dict(feed)
        for x, result in zip(operator.outputs, compute(operator, arrays)):
            if x is not None:
                (scope if x.persistable else feed)[x.name] = result
    return [{**scope, **feed}[x.name] for x in fetch]
