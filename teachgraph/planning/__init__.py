"""Execution plans: lifetimes, memory and runs of programs."""
