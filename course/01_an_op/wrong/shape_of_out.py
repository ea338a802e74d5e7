"""Takes the gradients to have the shape of the product.

zh: 以为梯度的形状和乘积一样。
task: shapes_back
says: out
"""

INSTEAD = {
    "return [[3, 1], [4]]": "return [[3, 4], [3, 4]]",
}
