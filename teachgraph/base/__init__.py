"""Paddle's `base`: since 2.6 the name of what `fluid` was, of which code still imports.

Whatever `teachgraph.fluid` has is here too, with its modules: `base.core`,
`base.dygraph.base`, `base.layers` and so on.
"""

import sys
from typing import Any

from teachgraph import fluid
from teachgraph.fluid import *  # noqa: F403
from teachgraph.fluid import __all__ as __all__
from teachgraph.ops.paddle_modules import known_as

for _name in [name for name in sys.modules if name.startswith("teachgraph.fluid.")]:
    _own = _name.replace("teachgraph.fluid", __name__, 1)
    if _own not in {f"{__name__}.dygraph", f"{__name__}.dygraph.base"}:
        sys.modules[_own] = sys.modules[_name]
from teachgraph.base.dygraph import to_variable as _to_variable  # noqa: E402, F401


def __getattr__(name: str) -> Any:
    return getattr(fluid, name)


known_as("base")
