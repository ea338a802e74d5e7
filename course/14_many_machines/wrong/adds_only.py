"""Takes the sum for the mean.

zh: 把和当作平均。
task: average
says: sum
"""

INSTEAD = {
    "gradient * (count / sum(rows))": "gradient",
}
