"""Takes the numbers of the slope.

zh: 取的是斜率的数值。
task: gradient_penalty
says: an_array
"""

INSTEAD = {"(dx * dx).sum()": "np.sum(dx.data**2)"}
