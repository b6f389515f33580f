"""Errors of code generation."""


class EmitError(Exception):
    """An output could not be made; the text says which, why, and what to do."""
