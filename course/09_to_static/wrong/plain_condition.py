"""Copies the condition as it is.

zh: 原样照抄条件。
task: convert_if
says: not_a_program
"""

INSTEAD = {"condition_of(node.test)": "ast.unparse(node.test)"}
