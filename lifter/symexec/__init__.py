"""Symbolic execution of the loop language: closed forms for induction variables, effects for stores.

Loops are not unrolled: each gets a counter, every variable that advances by a fixed step gets its closed form, and
a variable that carries a value in any other way becomes a cell, an array of one element, so that what is left is
stores only.  Loops of few, known iterations that carry values are unrolled instead.
"""

from lifter.symexec.executor import execute

__all__ = ["execute"]
