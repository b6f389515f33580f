"""When the Loads of an expression are evaluated."""

from __future__ import annotations

from functools import reduce

from halide_core.ir.expr import BOOL, EQ, I32, LT, Add, And, Expr, Load, Or, Select, Variable, const
from halide_core.ir.structural import key
from verifier.memory_states import sure_loads, unconditional_loads

x, n, m = (Variable(I32, name) for name in "xnm")
at_end, below = EQ(BOOL, x, n), LT(BOOL, x, m)


def read(index: int) -> Load:
    return Load(I32, "s@0", const(index, I32))


def dark(index: int) -> Expr:
    return LT(BOOL, read(index), const(9, I32))


def when(e: Expr, for_granted=None) -> dict[int, set[str]]:
    """The conditions of each element."""
    found = sure_loads(e) if for_granted is None else sure_loads(e, for_granted)
    out: dict[int, set[str]] = {}
    for load, given in found:
        out.setdefault(int(load.index.value), set()).add(" and ".join(sorted(map(str, given))))
    return out


def test_conditions_on_parameters_say_when() -> None:
    e = Add(I32, Select(I32, at_end, read(1), read(2)), read(1))
    assert when(e) == {1: {"", "x == n"}, 2: {"x != n"}}
    nested = Select(I32, And(BOOL, at_end, below), read(1), Select(I32, at_end, read(2), read(3)))
    assert when(nested)[1] == {"x < m and x == n"}
    assert 3 in when(nested)


def test_what_the_data_choose_is_sure_where_both_have_it() -> None:
    e = Select(I32, dark(0), Select(I32, at_end, read(1), read(2)), Add(I32, read(1), read(3)))
    assert when(e) == {0: {""}, 1: {"x == n"}}
    assert key(read(1)) not in unconditional_loads(e)


def test_what_is_granted_to_the_data() -> None:
    e = Select(I32, Or(BOOL, dark(0), at_end), read(1), read(2))
    assert when(e) == {0: {""}}
    granted = when(e, lambda c: True)
    assert granted == {0: {""}, 1: {""}, 2: {"x != n"}}
    assert key(read(1)) in unconditional_loads(e, lambda c: True)


def test_many_choices_in_one_another_take_no_time() -> None:
    def smaller(a: Expr, b: Expr) -> Expr:
        return Select(I32, LT(BOOL, a, b), a, b)

    pixels = [Select(I32, LT(BOOL, x, const(k, I32)), read(k), read(k + 100)) for k in range(40)]
    least = reduce(smaller, pixels)
    assert {0, 39, 100, 139} <= when(least).keys()
    assert not unconditional_loads(least) & {key(read(0)), key(read(100))}
