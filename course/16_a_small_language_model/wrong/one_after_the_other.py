"""Lets head B read what head A has added.

zh: 让头 B 读头 A 加过之后的数。
task: predict
says: shares_b
"""


def predict(batch, w, look):
    x = embed(batch.tokens, batch.places, w["tokens"], w["places"])
    mask, shares = may_look(batch.texts, batch.places), {}
    for head in "AB":
        q, k, v = (matmul(x, w[one + head]) for one in "qkv")
        mixed, found = look(q, k, v, mask)
        x = x + matmul(mixed, w["o" + head])
        shares[head] = found.data
    x = x + matmul(smooth(matmul(x, w["wide"]) + w["bias"]), w["narrow"])
    return matmul(x, w["last"]), shares
