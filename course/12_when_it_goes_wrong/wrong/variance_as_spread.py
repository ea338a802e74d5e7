"""Takes the variance for the spread.

zh: 把方差当作散布。
task: first_weights
says: shrinks
"""

INSTEAD = {"np.sqrt(variance)": "variance"}
