"""A parsed file, the models that go with it, and its pure functions."""

from __future__ import annotations

from dataclasses import dataclass, field

from clang.cindex import Cursor, TranslationUnit
from clang.cindex import Type as ClangType

from lifter.frontend import instances
from lifter.frontend.sources import Sources
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
    sources: Sources | None = None
    """Where definitions of other functions are looked for."""
    pure: dict[str, Known | None] = field(default_factory=dict)
    """By `inline.key`; None for functions that are not pure."""
    modified: dict[tuple[int, int], frozenset[int]] = field(default_factory=dict)
    """What bodies may change, by the hash and the place of each (`inline.modified`)."""
    taken: dict[str, tuple[int, Cursor]] = field(default_factory=dict)
    """Functions used as values: their numbers and declarations, by mangled name."""
    active: list[str] = field(default_factory=list)
    """Symbols of the functions being lowered, to notice recursion."""

    instances: dict[instances.Key, Cursor | None] = field(default_factory=dict)
    """Members of class templates' instances; None for those that the file cannot name."""

    def instance(self, t: ClangType, member: str) -> Cursor | None:
        """The constructor without arguments, or the destructor, of an instance of a class template; None where it
        cannot be had.  Raises instances.Wanted for the file to be parsed again."""
        key = instances.key(t, member)
        if key not in self.instances:
            raise instances.Wanted(key)
        return self.instances[key]

    def in_main_file(self, c: Cursor) -> bool:
        f = c.location.file
        return f is not None and f.name == self.path
