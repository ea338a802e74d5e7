"""Leaves an `and` in all parts but the last.

zh: 除最后一部分外，都留着 `and`。
task: condition_of
says: and_left
"""

INSTEAD = {
    "both({condition_of(value)}": "both({ast.unparse(value)}",
}
