"""Gives back what was there before the run.

zh: 交回的是运行之前的值。
task: run_once
says: raised
"""

INSTEAD = {
    "memory[x.name] for x in fetch": "scope.get(x.name, feed[x.name]) for x in fetch"
}
