"""Looks for NaN only, not for infinity.

zh: 只找 NaN，不管无穷大。
task: note
says: missed
"""

INSTEAD = {"np.isfinite(x.numpy()).all()": "not np.isnan(x.numpy()).any()"}
