"""Computes e^x as the formula has it, which overflows.

zh: 照公式直接算 e^x，会溢出。
task: softplus
says: overflow
"""


def softplus(x):
    with np.errstate(over="ignore"):
        return np.log(1 + np.exp(x))
