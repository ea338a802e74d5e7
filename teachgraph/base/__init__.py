"""Paddle's `base`: since 2.6 the name of what `fluid` was, of which code still imports.

Whatever `teachgraph.fluid` has is here too, with its modules: `base.core`,
`base.dygraph.base`, `base.layers` and so on. In one thing it differs: before a mode is
chosen it is dynamic.
"""

import sys
from typing import Any

from teachgraph import fluid
from teachgraph.fluid import *  # noqa: F403
from teachgraph.fluid import __all__ as __all__
from teachgraph.ops.paddle_modules import known_as

_ADAPTED = {"dygraph", "dygraph.base", "framework"}
for _name in [name for name in sys.modules if name.startswith("teachgraph.fluid.")]:
    _own = _name.replace("teachgraph.fluid", __name__, 1)
    if _own.removeprefix(f"{__name__}.") not in _ADAPTED:
        sys.modules[_own] = sys.modules[_name]
from teachgraph.base.dygraph import to_variable as _to_variable  # noqa: E402, F401
from teachgraph.base.framework import in_dygraph_mode, in_pir_mode  # noqa: E402, F401

in_dynamic_or_pir_mode = in_dygraph_mode
enabled = in_dynamic_mode = in_dygraph_mode


def __getattr__(name: str) -> Any:
    return getattr(fluid, name)


known_as("base")
