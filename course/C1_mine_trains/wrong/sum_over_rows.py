"""Takes the sum over the rows for their mean.

zh: 把各行的和当成了平均。
task: fit_step
says: loss
"""

INSTEAD = {
    "cross_entropy(forward(x, layers), labels)": "cross_entropy("
    "forward(x, layers), labels) * float(len(labels))"
}
