"""Forgets the places.

zh: 忘了位置。
task: embed
says: no_places
"""

INSTEAD = {"rows + take(order, places)": "rows"}
