"""Never asks the condition again.

zh: 再也不问条件。
task: run_rounds
says: endless
"""

INSTEAD = {"go_on = scope[block.again.name]": "pass"}
