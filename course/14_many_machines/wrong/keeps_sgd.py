"""Keeps the sgd operators.

zh: 留下了 sgd 算子。
task: for_a_trainer
says: sgd_stays
"""

INSTEAD = {
    "if op not in updates:": "if True:",
}
