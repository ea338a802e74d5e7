"""Uses one dict for all rounds.

zh: 所有各轮共用一个字典。
task: run_rounds
says: alike
"""

INSTEAD = {
    "scopes = []": "scopes, values = [], dict(values)",
    "dict(values))": "values)",
    "values = {**values, x.name: ": "values[x.name] = ",
    "scope[result.name]}": "scope[result.name]",
}
