"""Takes what any row writes for known.

zh: 把任何一行写出的都当作已知。
task: load
says: accepts_later
"""

INSTEAD = {
    "*weights}": '*weights} | {n for row in model["ops"] for n in row["writes"]}'
}
