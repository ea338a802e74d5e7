"""Does not ask who else reads the product.

zh: 不问还有谁读乘积。
task: fuse_linear
says: missing
"""

INSTEAD = {" and readers.count(product) == 1": ""}
