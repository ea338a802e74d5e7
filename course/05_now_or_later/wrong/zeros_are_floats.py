"""Tries with fractions, which are no labels.

zh: 用小数来试，而小数不能当标签。
task: infer_shape
says: whole
"""

INSTEAD = {"np.zeros(shape, int)": "np.zeros(shape)"}
