"""Computes on arrays, past the tape.

zh: 绕过磁带，在数组上计算。
task: attention
says: no_way
"""


def attention(q, k, v, mask):
    scores = q.data @ k.data.T / np.sqrt(q.shape[1])
    powers = np.where(mask, np.exp(scores - scores.max()), 0.0)
    shares = powers / powers.sum(axis=1, keepdims=True)
    return Tensor(shares @ v.data), Tensor(shares)
