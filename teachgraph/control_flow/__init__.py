"""Branches, loops and recurrences of programs, with gradients of any order."""
