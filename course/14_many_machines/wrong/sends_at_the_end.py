"""Sends everything at the end.

zh: 到最后才一起送。
task: for_a_trainer
says: late
"""


def for_a_trainer(ops):
    updates = [op for op in ops if op.type == "sgd"]
    rows = [op for op in ops if op not in updates]
    rows += [("send", op.inputs["Grad"][0]) for op in updates]
    received = [("recv", op.inputs["Param"][0]) for op in updates]
    return [*rows, ("send_barrier",), *received, ("fetch_barrier",)]
