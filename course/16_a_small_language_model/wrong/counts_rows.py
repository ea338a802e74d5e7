"""Counts the rows of the batch, not the places in each text.

zh: 数的是一批中的行，不是每段文字中的位置。
task: embed
says: counted
"""

INSTEAD = {
    "take(order, places)": "take(order, np.arange(len(tokens)) % order.shape[0])"
}
