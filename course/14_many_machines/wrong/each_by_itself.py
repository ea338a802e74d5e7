"""Returns the shares of the trainers and not their sum.

zh: 返回的是各训练端的份额，而不是它们的和。
task: average
says: shape
"""

INSTEAD = {
    "whole = np.zeros(gradients[0].shape)": "whole = []",
    "whole += gradient * (count / sum(rows))": "whole.append(gradient * count)",
}
