"""Tensor functions as methods of Tensor and Variable: `x.exp()` is `exp(x)`.

Every function of tensors whose first argument is a tensor, under its own name.
"""

from __future__ import annotations

from typing import Any, TypeVar

from teachgraph.ops import functions
from teachgraph.ops.functions.decomposition import (
    cholesky_solve,
    lu,
    lu_unpack,
    matrix_power,
    pinv,
    qr,
    solve,
    trace,
    triangular_solve,
)
from teachgraph.ops.functions.matrices import (
    cond,
    corrcoef,
    cov,
    householder_product,
    lstsq,
    pca_lowrank,
)
from teachgraph.ops.functions.search import mode
from teachgraph.ops.left_out import offered, tell_of
from teachgraph.ops.math import sigmoid
from teachgraph.ops.operators import Operators

__all__ = ["Methods", "slot"]

T = TypeVar("T")


def slot(value: Any, name: str, default: T) -> T:
    """A slot of a traced value, `default` if it was never set.

    `getattr` would look its name up among the methods that Paddle has and we have not.
    """
    try:
        found: T = object.__getattribute__(value, name)
    except AttributeError:
        return default
    return found


class Methods(Operators):
    """Methods of a traced value.

    In Paddle these are the methods of `paddle.Tensor` and `paddle.static.Variable`.
    """

    __slots__ = ()

    def __dir__(self) -> list[str]:
        """List what there is, without the methods that are left out."""
        return offered("Tensor", self, super().__dir__())

    abs = functions.abs
    acos = functions.acos
    acosh = functions.acosh
    add = functions.add
    addmm = functions.addmm
    all = functions.all
    allclose = functions.allclose
    amax = functions.amax
    amin = functions.amin
    any = functions.any
    argmax = functions.argmax
    argmin = functions.argmin
    argsort = functions.argsort
    as_strided = functions.as_strided
    asin = functions.asin
    asinh = functions.asinh
    atan = functions.atan
    atan2 = functions.atan2
    atanh = functions.atanh
    atleast_1d = functions.atleast_1d
    atleast_2d = functions.atleast_2d
    atleast_3d = functions.atleast_3d
    bincount = functions.bincount
    bitwise_and = functions.bitwise_and
    bitwise_not = functions.bitwise_not
    bitwise_or = functions.bitwise_or
    bitwise_xor = functions.bitwise_xor
    bmm = functions.bmm
    broadcast_to = functions.broadcast_to
    bucketize = functions.bucketize
    cast = Operators.astype
    cdist = functions.cdist
    ceil = functions.ceil
    cholesky = functions.cholesky
    chunk = functions.chunk
    clip = functions.clip
    combinations = functions.combinations
    cos = functions.cos
    cosh = functions.cosh
    count_nonzero = functions.count_nonzero
    cross = functions.cross
    cummax = functions.cummax
    cummin = functions.cummin
    cumprod = functions.cumprod
    cumsum = functions.cumsum
    cumulative_trapezoid = functions.cumulative_trapezoid
    deg2rad = functions.deg2rad
    diag = functions.diag
    diag_embed = functions.diag_embed
    diagflat = functions.diagflat
    diagonal = functions.diagonal
    diagonal_scatter = functions.diagonal_scatter
    diff = functions.diff
    digamma = functions.digamma
    dist = functions.dist
    divide = functions.divide
    dot = functions.dot
    eigvalsh = functions.eigvalsh
    equal = functions.equal
    equal_all = functions.equal_all
    erf = functions.erf
    erfinv = functions.erfinv
    exp = functions.exp
    expand = functions.expand
    expand_as = functions.expand_as
    expm1 = functions.expm1
    flatten = functions.flatten
    flip = functions.flip
    floor = functions.floor
    floor_divide = functions.floor_divide
    floor_mod = functions.floor_mod
    fmax = functions.fmax
    fmin = functions.fmin
    frac = functions.frac
    frexp = functions.frexp
    gather = functions.gather
    gather_nd = functions.gather_nd
    gcd = functions.gcd
    greater_equal = functions.greater_equal
    greater_than = functions.greater_than
    heaviside = functions.heaviside
    histogram = functions.histogram
    hypot = functions.hypot
    i0 = functions.i0
    i0e = functions.i0e
    i1 = functions.i1
    i1e = functions.i1e
    increment = functions.increment
    index_add = functions.index_add
    index_fill = functions.index_fill
    index_put = functions.index_put
    index_sample = functions.index_sample
    index_select = functions.index_select
    inner = functions.inner
    inverse = functions.inverse
    is_complex = functions.is_complex
    is_empty = functions.is_empty
    is_floating_point = functions.is_floating_point
    is_integer = functions.is_integer
    isclose = functions.isclose
    isfinite = functions.isfinite
    isinf = functions.isinf
    isnan = functions.isnan
    kron = functions.kron
    kthvalue = functions.kthvalue
    lcm = functions.lcm
    ldexp = functions.ldexp
    lerp = functions.lerp
    less_equal = functions.less_equal
    less_than = functions.less_than
    lgamma = functions.lgamma
    log = functions.log
    log10 = functions.log10
    log1p = functions.log1p
    log2 = functions.log2
    logaddexp = functions.logaddexp
    logcumsumexp = functions.logcumsumexp
    logical_and = functions.logical_and
    logical_not = functions.logical_not
    logical_or = functions.logical_or
    logical_xor = functions.logical_xor
    logit = functions.logit
    logsumexp = functions.logsumexp
    masked_fill = functions.masked_fill
    masked_select = functions.masked_select
    matmul = functions.matmul
    max = functions.max
    maximum = functions.maximum
    mean = functions.mean
    median = functions.median
    min = functions.min
    minimum = functions.minimum
    mm = functions.mm
    mod = functions.mod
    moveaxis = functions.moveaxis
    multigammaln = functions.multigammaln
    multinomial = functions.multinomial
    multiply = functions.multiply
    mv = functions.mv
    nan_to_num = functions.nan_to_num
    nanmean = functions.nanmean
    nanmedian = functions.nanmedian
    nanquantile = functions.nanquantile
    nansum = functions.nansum
    neg = functions.neg
    nextafter = functions.nextafter
    nonzero = functions.nonzero
    norm = functions.norm
    not_equal = functions.not_equal
    numel = functions.numel
    outer = functions.outer
    polygamma = functions.polygamma
    pow = functions.pow
    prod = functions.prod
    put_along_axis = functions.put_along_axis
    quantile = functions.quantile
    rad2deg = functions.rad2deg
    rank = functions.rank
    reciprocal = functions.reciprocal
    remainder = functions.remainder
    renorm = functions.renorm
    repeat_interleave = functions.repeat_interleave
    reshape = functions.reshape
    reverse = functions.reverse
    roll = functions.roll
    rot90 = functions.rot90
    round = functions.round
    rsqrt = functions.rsqrt
    scale = functions.scale
    scatter = functions.scatter
    scatter_nd_add = functions.scatter_nd_add
    select_scatter = functions.select_scatter
    sgn = functions.sgn
    shard_index = functions.shard_index
    sign = functions.sign
    sin = functions.sin
    sinh = functions.sinh
    slice = functions.slice
    sort = functions.sort
    split = functions.split
    sqrt = functions.sqrt
    square = functions.square
    squeeze = functions.squeeze
    stanh = functions.stanh
    std = functions.std
    strided_slice = functions.strided_slice
    subtract = functions.subtract
    sum = functions.sum
    swapaxes = functions.swapaxes
    t = functions.t
    take = functions.take
    take_along_axis = functions.take_along_axis
    tan = functions.tan
    tanh = functions.tanh
    tensordot = functions.tensordot
    tile = functions.tile
    topk = functions.topk
    transpose = functions.transpose
    trapezoid = functions.trapezoid
    tril = functions.tril
    triu = functions.triu
    trunc = functions.trunc
    unbind = functions.unbind
    unflatten = functions.unflatten
    unfold = functions.unfold
    unique = functions.unique
    unique_consecutive = functions.unique_consecutive
    unsqueeze = functions.unsqueeze
    unstack = functions.unstack
    vander = functions.vander
    var = functions.var
    view = functions.view
    view_as = functions.view_as
    vsplit = functions.vsplit
    cholesky_solve = cholesky_solve
    cond = cond
    corrcoef = corrcoef
    cov = cov
    householder_product = householder_product
    lstsq = lstsq
    lu = lu
    lu_unpack = lu_unpack
    matrix_power = matrix_power
    mode = mode
    pca_lowrank = pca_lowrank
    pinv = pinv
    qr = qr
    solve = solve
    trace = trace
    triangular_solve = triangular_solve

    def sigmoid(self) -> Any:
        """Compute 1 / (1 + exp(-x))."""
        return sigmoid(self)

    def where(self, x: Any, y: Any) -> Any:
        """Select `x` where this is True, `y` elsewhere."""
        return functions.where(self, x, y)


tell_of("Tensor", Methods)
