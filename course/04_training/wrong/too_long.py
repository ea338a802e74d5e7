"""Takes the step to grow with the gradient.

zh: 以为步长随梯度增大。
task: first_step
says: wrong
"""

INSTEAD = {
    "return 0.001": "return 0.01",
}
