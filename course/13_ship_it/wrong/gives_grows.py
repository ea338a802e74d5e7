"""Collects what is needed in the list `gives`.

zh: 把需要的收集进了列表 `gives`。
task: prune
says: changed_input
"""

INSTEAD = {
    "needed, rows = {*gives}, []": "needed, rows = gives, []",
    "needed.update(one.input_arg_names)": "needed.extend(one.input_arg_names)",
}
