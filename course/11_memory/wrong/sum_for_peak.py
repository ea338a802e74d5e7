"""Returns the sum of the sizes.

zh: 返回的是大小的总和。
task: first_fit
says: peak
"""

INSTEAD = {
    "max([b.offset + b.size for b in placed], default=0)": "sum(b.size for b in placed)"
}
