"""Takes the product wherever the add reads it.

zh: 不管 add 在哪里读乘积都融合。
task: fuse_linear
says: its_product
"""

INSTEAD = {"one.inputs[0] is product": "product in one.inputs"}
