"""Paddle 1.x's `fluid.param_attr`: the attributes of a parameter to create."""

from teachgraph.ops.param_attr import ParamAttr, WeightNormParamAttr

__all__ = ["ParamAttr", "WeightNormParamAttr"]
