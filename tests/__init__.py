"""Tests of both packages, in rooms named as theirs.

Imported before pytest collects: a module of the framework that is collected for its
doctests is then the one that the framework imports.
"""

import teachgraph as teachgraph
