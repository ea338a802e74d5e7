"""Multiplies the upstream gradient in place, which other ops hold, too.

zh: 就地乘上游梯度，而别的算子也拿着它。
task: softplus_rule
says: changed_input
"""

INSTEAD = {"return (dout * sigmoid(x),)": "dout *= sigmoid(x)\n    return (dout,)"}
