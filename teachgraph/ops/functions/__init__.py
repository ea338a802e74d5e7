"""Paddle 2's functions of tensors, each a call of one op or two.

They take arrays, Tensors and Variables alike. The names that a module here exports are
also exported by `teachgraph` itself.
"""

from teachgraph.ops.error_context import all_in_words
from teachgraph.ops.functions import (
    creation,
    diagonals,
    differences,
    distances,
    indexing,
    joining,
    linalg,
    logic,
    manipulation,
    math,
    numbers,
    parts,
    queries,
    random,
    reduce,
    scan,
    search,
    special,
    statistics,
)
from teachgraph.ops.functions.creation import *  # noqa: F403
from teachgraph.ops.functions.diagonals import *  # noqa: F403
from teachgraph.ops.functions.differences import *  # noqa: F403
from teachgraph.ops.functions.distances import *  # noqa: F403
from teachgraph.ops.functions.indexing import *  # noqa: F403
from teachgraph.ops.functions.joining import *  # noqa: F403
from teachgraph.ops.functions.linalg import *  # noqa: F403
from teachgraph.ops.functions.logic import *  # noqa: F403
from teachgraph.ops.functions.manipulation import *  # noqa: F403
from teachgraph.ops.functions.math import *  # noqa: F403
from teachgraph.ops.functions.numbers import *  # noqa: F403
from teachgraph.ops.functions.parts import *  # noqa: F403
from teachgraph.ops.functions.queries import *  # noqa: F403
from teachgraph.ops.functions.random import *  # noqa: F403
from teachgraph.ops.functions.reduce import *  # noqa: F403
from teachgraph.ops.functions.scan import *  # noqa: F403
from teachgraph.ops.functions.search import *  # noqa: F403
from teachgraph.ops.functions.special import *  # noqa: F403
from teachgraph.ops.functions.statistics import *  # noqa: F403
from teachgraph.ops.number_arguments import all_read_numbers

__all__: list[str] = []
__all__ += creation.__all__
__all__ += differences.__all__
__all__ += diagonals.__all__
__all__ += distances.__all__
__all__ += indexing.__all__
__all__ += joining.__all__
__all__ += linalg.__all__
__all__ += logic.__all__
__all__ += manipulation.__all__
__all__ += math.__all__
__all__ += numbers.__all__
__all__ += parts.__all__
__all__ += queries.__all__
__all__ += random.__all__
__all__ += reduce.__all__
__all__ += scan.__all__
__all__ += search.__all__
__all__ += special.__all__
__all__ += statistics.__all__

all_in_words(__all__, globals())
all_read_numbers(__all__, globals())
