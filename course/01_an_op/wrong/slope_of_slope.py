"""Differentiates the sigmoid, where the sigmoid itself is the answer.

zh: 又对 sigmoid 求了导，其实答案就是 sigmoid。
task: softplus_rule
says: second
"""

INSTEAD = {
    "return (dout * sigmoid(x),)": "return (dout * sigmoid(x) * (1 - sigmoid(x)),)",
}
