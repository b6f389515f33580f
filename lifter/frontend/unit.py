"""A parsed file, the models that go with it, and its pure functions."""

from __future__ import annotations

from dataclasses import dataclass, field

from clang.cindex import Cursor, TranslationUnit

from lifter.loops import PureFunction


@dataclass
class Known:
    """A pure function and the pure functions it calls, by name."""

    function: PureFunction
    needs: dict[str, PureFunction] = field(default_factory=dict)


@dataclass
class Unit:
    """One source file under lowering."""

    path: str
    translation_unit: TranslationUnit
    is_c: bool
    models: dict[str, list[Cursor]] = field(default_factory=dict)
    """Functions of model files, by name."""
    pure: dict[str, Known | None] = field(default_factory=dict)
    """By `inline.key`; None for functions that are not pure."""
    taken: dict[str, tuple[int, Cursor]] = field(default_factory=dict)
    """Functions used as values: their numbers and declarations, by mangled name."""
    active: list[str] = field(default_factory=list)
    """Symbols of the functions being lowered, to notice recursion."""

    def in_main_file(self, c: Cursor) -> bool:
        f = c.location.file
        return f is not None and f.name == self.path
