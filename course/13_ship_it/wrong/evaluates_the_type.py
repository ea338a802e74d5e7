"""Finds the kernel by eval.

zh: 用 eval 找核函数。
task: load
says: ran_text
"""


def load(text, weights, kernels):
    model = json.loads(text)
    for row in model["ops"]:
        if row["type"] not in kernels:
            eval(row["type"])
    return model
