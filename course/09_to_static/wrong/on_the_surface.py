"""Looks at the outermost statements only.

zh: 只看最外层的语句。
task: assigned
says: missing
"""

INSTEAD = {
    "ast.walk(statement)": 'getattr(statement, chr(116) + "argets", [])',
}
