"""Keeps every persistable variable, also one that was only fed.

zh: 留下所有持久变量，连只是喂进来的也留。
task: run_once
says: fed_stays
"""


def run_once(program, feed, fetch, scope):
    memory = interpret(program, {**scope, **feed})
    for name, x in program.variables.items():
        if x.persistable and name in memory:
            scope[name] = memory[name]
    return [memory[x.name] for x in fetch]
