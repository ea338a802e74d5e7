"""Adds to the table itself.

zh: 加到了表本身上。
task: take_rule
says: table
"""

INSTEAD = {"gradient = np.zeros(table.shape)": "gradient = table"}
