"""Paddle 1.x's `fluid.param_attr`: what is said of a parameter before it exists."""

from teachgraph.ops.param_attr import ParamAttr, WeightNormParamAttr

__all__ = ["ParamAttr", "WeightNormParamAttr"]
