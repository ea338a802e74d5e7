"""Keeps the whole forward pass, with the loss.

zh: 留下整个前向，连同损失。
task: prune
says: too_many
"""


def prune(ops, gives):
    rows = []
    for one in ops:
        if not {"Param", "Out@GRAD", "Loss@GRAD", "Y@GRAD"} & {*one.inputs}:
            if one.inputs:
                attrs = {**one.attrs, "is_test": True}
                row = {"type": one.type, "reads": one.input_arg_names}
                rows.append({**row, "writes": one.output_arg_names, "attrs": attrs})
    return rows
