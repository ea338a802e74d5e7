"""Returns the quartiles as texts.

zh: 返回的四分位数是文字。
task: measured
says: no_numbers
"""

INSTEAD = {"return np": "return [f'{q:.3g} s' for q in np", "75])": "75])]"}
