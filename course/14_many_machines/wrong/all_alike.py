"""Gives all trainers the same weight.

zh: 给所有训练端同样的权重。
task: average
says: plain
"""

INSTEAD = {
    "gradient * (count / sum(rows))": "gradient / len(rows)",
}
