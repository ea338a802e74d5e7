"""Tests of both packages, in rooms named as theirs.

Imported before pytest collects: a module of the framework that is collected for its
doctests is then the one that the framework imports. Where Paddle or PyTorch is asked,
in a venv of its own, there is no framework of ours.
"""

import sys

if "pytest" in sys.modules:
    import teachgraph as teachgraph
