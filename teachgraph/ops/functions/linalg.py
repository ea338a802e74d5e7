"""Products of vectors and matrices."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from string import ascii_letters
from typing import Any

from teachgraph.core.errors import ShapeError
from teachgraph.core.ops import reduce_sum
from teachgraph.ops import einsum as einsums
from teachgraph.ops import kronecker, linalg, vector_products
from teachgraph.ops.functions.creation import eye
from teachgraph.ops.functions.decomposition import cholesky, eigvalsh, inverse
from teachgraph.ops.matmul import matmul_v2
from teachgraph.ops.shape import reshape2, transpose2

__all__ = [
    "addmm",
    "bmm",
    "cholesky",
    "cross",
    "dot",
    "eigvalsh",
    "einsum",
    "inner",
    "inverse",
    "kron",
    "matmul",
    "mm",
    "mv",
    "outer",
    "tensordot",
]


def matmul(
    x: Any,
    y: Any,
    transpose_x: bool = False,
    transpose_y: bool = False,
    name: Any = None,
) -> Any:
    """The product of matrices; leading dimensions broadcast.

    Args:
        x: Matrices [..., m, k], or a vector [k], which is a row.
        y: Matrices [..., k, n], or a vector [k], which is a column.
        transpose_x: Whether x holds [..., k, m] instead.
        transpose_y: Whether y holds [..., n, k] instead.
        name: Accepted for Paddle's sake.

    Raises:
        ShapeError: They do not fit.

    >>> import numpy as np
    >>> matmul(np.eye(2), np.ones((3, 2)), transpose_y=True).shape
    (2, 3)
    >>> matmul(np.array([1.0, 2.0]), np.eye(2))
    array([1., 2.])

    In Paddle this is `paddle.matmul`.
    """
    return matmul_v2(x, y, trans_x=transpose_x, trans_y=transpose_y)


def mm(input: Any, mat2: Any, name: Any = None) -> Any:
    """The product of two matrices, or of stacks of them."""
    return matmul_v2(input, mat2)


def bmm(x: Any, y: Any, name: Any = None) -> Any:
    """For each i of a batch, the product of the matrices x[i] and y[i]."""
    return linalg.bmm(x, y)


def dot(x: Any, y: Any, name: Any = None) -> Any:
    """The sum of x_i y_i, of two vectors or of each row of two matrices.

    >>> import numpy as np
    >>> float(dot(np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    11.0
    """
    return vector_products.dot(x, y)


def mv(x: Any, vec: Any, name: Any = None) -> Any:
    """The product of a matrix and a vector."""
    return linalg.mv(x, vec)


def outer(x: Any, y: Any, name: Any = None) -> Any:
    """out_ij = x_i y_j, of all elements of x and of y.

    >>> import numpy as np
    >>> outer(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    array([[3., 4.],
           [6., 8.]])
    """
    return matmul_v2(reshape2(x, shape=[-1, 1]), reshape2(y, shape=[1, -1]))


def inner(x: Any, y: Any, name: Any = None) -> Any:
    """The dot products of all vectors along the last dimensions of x and y.

    Args:
        x: Vectors [..., n].
        y: Vectors [..., n]. A single number is a factor instead, as in Paddle.
        name: Accepted for Paddle's sake.

    >>> import numpy as np
    >>> inner(np.ones((2, 3)), np.ones((4, 3))).shape
    (2, 4)
    >>> inner(np.ones((2, 3)), np.ones((1, 1))).shape
    (2, 3)
    """
    if prod(x.shape) == 1 or prod(y.shape) == 1:
        return x * y
    size = x.shape[-1]
    rows, columns = reshape2(x, shape=[-1, size]), reshape2(y, shape=[-1, size])
    return reshape2(matmul_v2(rows, columns.T), shape=[*x.shape[:-1], *y.shape[:-1]])


def kron(x: Any, y: Any, name: Any = None) -> Any:
    """Kronecker's product: the block at [i, j] is x_ij times y.

    >>> import numpy as np
    >>> kron(np.array([1, 2]), np.array([1, 10]))
    array([ 1, 10,  2, 20])
    """
    return kronecker.kron(x, y)


def cross(x: Any, y: Any, axis: int = 9, name: Any = None) -> Any:
    """The cross products of the vectors along `axis`, of size 3.

    By default that is the first dimension of size 3.

    >>> import numpy as np
    >>> cross(np.array([1, 0, 0]), np.array([0, 1, 0]))
    array([0, 0, 1])
    """
    return vector_products.cross(x, y, dim=axis)


def addmm(
    input: Any, x: Any, y: Any, beta: float = 1.0, alpha: float = 1.0, name: Any = None
) -> Any:
    """Beta input + alpha x y, of matrices x and y."""
    return linalg.addmm(input, x, y, Alpha=alpha, Beta=beta)


def tensordot(x: Any, y: Any, axes: Any = 2, name: Any = None) -> Any:
    """The product of x and y, summed over some of their dimensions.

    Args:
        x: The first factor.
        y: The second.
        axes: The number of dimensions to sum over: the last of x, the first of y. Or a
            list of those of both, or one such list for x and one for y; the end of the
            longer one stands for what the shorter one lacks. A size of 1 fits any.
        name: Accepted for Paddle's sake.

    Raises:
        ShapeError: The sizes differ, or a dimension is out of range.

    >>> import numpy as np
    >>> tensordot(np.ones((2, 3, 4)), np.ones((3, 4, 5))).shape
    (2, 5)
    >>> tensordot(np.ones((2, 3)), np.ones((3, 2)), axes=[[0, 1], [1, 0]])
    array(6.)
    >>> tensordot(np.ones((2, 3, 4)), np.ones((3, 2, 4)), axes=[[0, 1, 2], [1, 0]])
    array(24.)
    """
    summed_x, summed_y = contracted(axes, len(x.shape), len(y.shape))
    x, y = matched(x, y, summed_x, summed_y)
    free_x = [axis for axis in range(len(x.shape)) if axis not in summed_x]
    free_y = [axis for axis in range(len(y.shape)) if axis not in summed_y]
    rows = flattened(x, free_x, summed_x)
    columns = flattened(y, summed_y, free_y)
    sizes = [x.shape[axis] for axis in free_x] + [y.shape[axis] for axis in free_y]
    return reshape2(matmul_v2(rows, columns), shape=sizes)


def matched(x: Any, y: Any, of_x: list[int], of_y: list[int]) -> tuple[Any, Any]:
    """Sum each factor over the dimensions in which the other one has size 1.

    Raises:
        ShapeError: Two sizes differ, and neither is 1.
    """
    pairs = [(x.shape[i], y.shape[j], i, j) for i, j in zip(of_x, of_y, strict=True)]
    if any(m != n and 1 not in {m, n} and -1 not in {m, n} for m, n, *_ in pairs):
        at = f"{list(x.shape)} along {of_x}, {list(y.shape)} along {of_y}"
        raise ShapeError.here(f"tensordot: sizes differ: {at}")
    thin_x = [j for m, n, _, j in pairs if m == 1 != n]
    thin_y = [i for m, n, i, _ in pairs if n == 1 != m]
    x = reduce_sum(x, dim=thin_y, keep_dim=True) if thin_y else x
    y = reduce_sum(y, dim=thin_x, keep_dim=True) if thin_x else y
    return x, y


def contracted(axes: Any, ndim_x: int, ndim_y: int) -> tuple[list[int], list[int]]:
    """Resolve the dimensions to sum over, of the first factor and of the second.

    Raises:
        ShapeError: They have not as many dimensions.
    """
    if isinstance(axes, int):
        of_x, of_y = list(range(ndim_x - axes, ndim_x)), list(range(axes))
    else:
        lists = list(axes) if axes and isinstance(axes[0], Sequence) else [axes]
        of_x, of_y = list(lists[0]), list(lists[-1])
        of_x, of_y = of_x + of_y[len(of_x) :], of_y + of_x[len(of_y) :]
    for chosen, ndim in ((of_x, ndim_x), (of_y, ndim_y)):
        if any(not -ndim <= axis < ndim for axis in chosen):
            raise ShapeError.here(f"tensordot: axes {axes} of {ndim}")
    return [axis % ndim_x for axis in of_x], [axis % ndim_y for axis in of_y]


def flattened(x: Any, rows: list[int], columns: list[int]) -> Any:
    """Flatten `x` to a matrix with some dimensions as rows, others as columns."""
    sizes = [[x.shape[axis] for axis in part] for part in (rows, columns)]
    shape = [-1 if -1 in part else prod(part) for part in sizes]
    return reshape2(transpose2(x, axis=rows + columns), shape=shape)


def einsum(equation: str, *operands: Any) -> Any:
    """Products and sums in Einstein's notation: a letter for each dimension.

    Args:
        equation: The letters of each operand, and after "->" those of the result;
            letters it does not have are summed over. "..." stands for the dimensions
            that are not named. Without "->" the result has those of "..." and then, in
            the order of the alphabet, the letters that occur once.
        *operands: The factors.

    Raises:
        InvalidValueError: It is no equation for these operands.
        ShapeError: A letter has two sizes.

    >>> import numpy as np
    >>> einsum("ij,jk->ik", np.ones((2, 3)), np.ones((3, 4))).shape
    (2, 4)
    >>> float(einsum("ii", np.eye(3)))
    3.0

    In Paddle this is `paddle.einsum`.
    """
    equation, diagonals = diagonal_operand(equation, operands)
    return einsums.einsum(*operands, *diagonals, equation=equation)


def diagonal_operand(equation: str, operands: Sequence[Any]) -> tuple[str, list[Any]]:
    """Put identities in the place of letters that a result repeats: `i->ii`.

    >>> import numpy as np
    >>> diagonal_operand("i->ii", [np.ones(2)])[0]
    'i,ia->ia'
    """
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    if not arrow or len({*output} - {"."}) == len(output.replace(".", "")):
        return equation, []
    einsums.require_labels(equation)
    free = (letter for letter in ascii_letters if letter not in equation)
    terms, identities, letters = inputs.split(","), [], ""
    for letter in output:
        if letter == "." or letter not in letters or letter not in inputs:
            letters += letter
            continue
        pairs = zip(terms, operands, strict=False)
        term, x = next(pair for pair in pairs if letter in pair[0])
        place = term.index(letter)
        size = x.shape[place - len(term) if "..." in term[:place] else place]
        identities.append(eye(size, dtype=str(x.dtype)))
        letters += next(free)
        terms.append(letter + letters[-1])
    return f"{','.join(terms)}->{letters}", identities
