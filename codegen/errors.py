"""Errors of code generation."""

from lifter.support.errors import LiftError


class EmitError(LiftError):
    """An output could not be made; the text says which, why, and what to do."""
