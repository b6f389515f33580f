"""What can be wrong with what a person asks for, under one base: `except LiftError` catches all of it."""


class LiftError(Exception):
    """Something that was asked for cannot be; the text says what, where, and what to do."""
