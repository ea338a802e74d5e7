"""Sends a gradient before it is written.

zh: 梯度还没写出就送。
task: for_a_trainer
says: too_soon
"""


def for_a_trainer(ops):
    updates = [op for op in ops if op.type == "sgd"]
    gradients = {op.inputs["Grad"][0] for op in updates}
    rows = []
    for op in ops:
        if op not in updates:
            rows += [
                ("send", name) for name in op.output_arg_names if name in gradients
            ]
            rows.append(op)
    received = [("recv", op.inputs["Param"][0]) for op in updates]
    return [*rows, ("send_barrier",), *received, ("fetch_barrier",)]
