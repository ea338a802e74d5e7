"""Paddle 1.x's `fluid.param_attr`: what is said of a parameter before it exists."""

from teachgraph.param_attr import ParamAttr, WeightNormParamAttr

__all__ = ["ParamAttr", "WeightNormParamAttr"]
