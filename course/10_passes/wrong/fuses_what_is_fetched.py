"""Fuses a product that is fetched.

zh: 把要取的乘积也融合了。
task: fuse_linear
says: fetched
"""

INSTEAD = {" and not writes(last, fetch)": ""}
