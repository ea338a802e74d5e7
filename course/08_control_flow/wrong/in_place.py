"""Changes the values of the caller.

zh: 改动了调用者的值。
task: run_rounds
says: changed
"""

INSTEAD = {
    "values = {**values, x.name: ": "values[x.name] = ",
    "scope[result.name]}": "scope[result.name]",
}
