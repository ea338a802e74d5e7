"""Takes the mean of the gradient where that of its square is wanted.

zh: 该取梯度平方的平均，却取了梯度的平均。
task: adam
says: mean
"""

INSTEAD = {"(1 - beta2) * g * g": "(1 - beta2) * g"}
