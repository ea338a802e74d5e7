"""Notes the names that are written among the weights.

zh: 把写出的名字记进了权重里。
task: load
says: changed_input
"""

INSTEAD = {
    'known = {*model["takes"], *weights}': (
        'known = weights\n    known.update(dict.fromkeys(model["takes"]))'
    ),
    'known.update(row["writes"])': 'known.update(dict.fromkeys(row["writes"]))',
}
