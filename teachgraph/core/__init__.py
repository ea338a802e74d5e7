"""The engine: ops, tensors and their tape, programs and their execution."""
