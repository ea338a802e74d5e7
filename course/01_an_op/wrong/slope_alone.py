"""Returns the slope, and forgets dout.

zh: 只返回斜率，忘了 dout。
task: softplus_rule
says: no_dout
"""

INSTEAD = {
    "return (dout * sigmoid(x),)": "return (sigmoid(x),)",
}
