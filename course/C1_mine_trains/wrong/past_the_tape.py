"""Computes softplus past the tape.

zh: 绕过磁带计算 softplus。
task: forward
says: no_way
"""

INSTEAD = {"smooth(x)": "Tensor(np.logaddexp(0.0, x.data))"}
