"""A parsed file, the models that go with it, and its pure functions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from clang.cindex import Cursor
from clang.cindex import Type as ClangType

from lifter.frontend.clang import template_instances as instances
from lifter.frontend.clang.attributes import Caution
from lifter.frontend.clang.parsing import Parsed
from lifter.frontend.clang.sources import Sources
from lifter.ir.loop_ir import PureFunction


@dataclass
class Known:
    """A pure function and the pure functions it calls, by name."""

    function: PureFunction
    needs: dict[str, PureFunction] = field(default_factory=dict)


@dataclass
class Unit:
    """One source file under lowering."""

    parsed: Parsed
    models: dict[str, list[Cursor]] = field(default_factory=dict)
    """Functions of model files, by name."""
    sources: Sources | None = None
    """Where definitions of other functions are looked for."""
    pure: dict[str, Known | None] = field(default_factory=dict)
    """By `queries.key`; None for functions that are not pure."""
    modified: dict[tuple[int, int], Counter[int]] = field(default_factory=dict)
    """What bodies may change, by the hash and the place of each (`queries.modified`)."""
    taken: dict[str, tuple[int, Cursor]] = field(default_factory=dict)
    """Functions used as values: their numbers and declarations, by mangled name."""
    assigned: dict[int, list[Cursor]] | None = None
    """The functions that the file gives its variables and fields (`assigned_functions.py`), once they are asked for."""
    other_uses: dict[int, list[Cursor] | None] = field(default_factory=dict)
    """What uses of variables stand in that do not only read them, by their hashes (`kept_values.py`)."""
    active: list[str] = field(default_factory=list)
    """Symbols of the functions being lowered, to notice recursion."""

    instances: dict[instances.Key, Cursor | None] = field(default_factory=dict)
    """Members of class templates' instances; None for those that the file cannot name."""

    def instance(self, t: ClangType, member: str) -> Cursor | None:
        """The constructor without arguments, or the destructor, of an instance of a class template; None where it
        cannot be had.  Raises template_instances.Wanted for the file to be parsed again."""
        key = instances.key(t, member)
        if key not in self.instances:
            raise instances.Wanted(key)
        return self.instances[key]

    def number_of(self, function: Cursor) -> int:
        """What stands for a function that is used as a value."""
        symbol = function.mangled_name or function.spelling
        if symbol not in self.taken:
            self.taken[symbol] = (len(self.taken), function)
        return self.taken[symbol][0]

    @property
    def path(self) -> str:
        return self.parsed.path

    @property
    def is_c(self) -> bool:
        return self.parsed.command.is_c

    def in_main_file(self, c: Cursor) -> bool:
        """Whether a cursor lies in the file itself."""
        return self.parsed.in_main_file(c)

    def cautions(self, c: Cursor) -> list[Caution]:
        """What attributes and pragmas say of a function that is not modelled."""
        f = c.location.file
        if f is None:
            return []
        parsed: Parsed | None = self.parsed
        if f.name != self.path:
            parsed = self.sources.parsed(f.name) if self.sources is not None else None
        return parsed.cautions.of(c) if parsed is not None else []

    def float_cautions(self) -> list[Caution]:
        """What pragmas say of how floats are computed, in this file and in those that definitions came from."""
        others = self.sources.all_parsed() if self.sources is not None else []
        return [k for parsed in (self.parsed, *others) for k in parsed.cautions.floats]
