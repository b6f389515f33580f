"""How a name says what a variable or a read is: only this module makes such names and takes them apart.

    array@3     a read of memory as it is in this iteration, after the effects whose order is below 3
    addr.p      the address that the pointer p holds
    k.2         the counter of a loop
    x'k.2       x when an iteration of the loop with counter k.2 begins, until its closed form is known
    ?x          the value of x where the program has given it none
    ?after x    the same of what a loop leaves in x
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator
from typing import TypeGuard

from halide_core.ir.expr import Expr, Load

_ADDRESS = "addr."
_COUNTER = "k."
_UNDEFINED = "?"


def timed(array: str, time: int) -> str:
    """The name of a read that sees the effects of its iteration whose order is below `time`."""
    return f"{array}@{time}"


def is_read(n: Expr) -> TypeGuard[Load]:
    """Whether a node is a read of memory at a time, and not a Load of a constant table or of a Func."""
    return isinstance(n, Load) and "@" in n.name


def split_tag(name: str) -> tuple[str, int]:
    """The array and the time that the name of a read says."""
    array, _, time = name.rpartition("@")
    return array, int(time)


def array_of(n: Load) -> str:
    """The array that is read at a time; the empty string of a Load that is no such read."""
    return n.name.rpartition("@")[0]


def array_or_table_of(n: Load) -> str:
    """The array that is read at a time, or as the caller gave it, as tables are: of no version of a stage."""
    return array_of(n) or n.name.removesuffix("#initial")


def time_of(n: Load) -> int:
    """The order of the first effect of its iteration that a read does not see."""
    return split_tag(n.name)[1]


def address_name(pointer: str) -> str:
    return _ADDRESS + pointer


def is_address(name: str) -> bool:
    return name.startswith(_ADDRESS)


def pointer_of(name: str) -> str:
    """The pointer whose address a variable is."""
    return name.removeprefix(_ADDRESS)


def counter_name(number: int) -> str:
    return f"{_COUNTER}{number}"


def is_counter(name: str) -> bool:
    return name.startswith(_COUNTER)


def any_counter(names: Iterable[str]) -> bool:
    """Whether one of the names is that of a loop's counter."""
    return any(map(is_counter, names))


def new_counters(used: Collection[str]) -> Iterator[str]:
    """Names for the counters of further loops."""
    return (name for n in itertools.count(1) if (name := counter_name(n)) not in used)


def unused(name: str, used: Collection[str], more: str = "") -> str:
    """A name that is not in use: `name`, or that with `more` behind it, its last letter unless given, once or again."""
    while name in used:
        name += more or name[-1]
    return name


def head_name(variable: str, of: str) -> str:
    """What stands for a variable when an iteration of the loop with the counter `of` begins."""
    return f"{variable}'{of}"


def is_head(name: str) -> bool:
    return "'" in name


def loop_of(name: str) -> str:
    """The counter of the loop that a name of `head_name` belongs to; of others the name itself."""
    return name.rpartition("'")[2]


def undefined_name(variable: str) -> str:
    """What stands for a variable where the program has given it no value."""
    return _UNDEFINED + variable


def undefined_after_name(variable: str) -> str:
    """What stands for what a loop leaves in a variable, if that is not known."""
    return f"{_UNDEFINED}after {variable}"


def is_undefined(name: str) -> bool:
    return name.startswith(_UNDEFINED)
