"""Takes a function of NumPy for a type without a kernel.

zh: 类型没有核函数时，就用 NumPy 的函数。
task: load
says: accepts_type
"""

INSTEAD = {"not in kernels:": "not in kernels and row['type'] not in dir(np):"}
