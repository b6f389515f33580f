"""Which loops of an update may run in another order: the checks that keep schedules from changing results."""

from __future__ import annotations

from collections.abc import Container

from halide_core.errors import HalideError
from halide_core.function import Definition, Function, Fuse, Rename, Split, TailStrategy
from halide_core.ir import expr as ir
from halide_core.ir.expr import CallType, Expr, const
from halide_core.ir.stmt import UNORDERED_KINDS, ForKind
from halide_core.ir.structural import contains, key, post_order, variables
from halide_core.ir.sums import is_coordinate, linear_terms

_ASSOCIATIVE = {"bitwise_and", "bitwise_or", "bitwise_xor"}


def roots_of(definition: Definition, var: str) -> set[str]:
    """The original variables that loop `var` is made of."""
    made = {var}
    for s in reversed(definition.schedule.splits):
        if isinstance(s, Split) and (s.outer in made or s.inner in made):
            made.add(s.old)
        elif isinstance(s, Fuse) and s.fused in made:
            made |= {s.inner, s.outer}
        elif isinstance(s, Rename) and s.new in made:
            made.add(s.old)
    return made


def predicates_of(definition: Definition) -> list[Expr]:
    """The conditions on an update's reduction domain."""
    return definition.domain.predicates if definition.domain is not None else []


def self_calls(function: Function, definition: Definition) -> list[ir.Call]:
    """Calls of `function` in its own update."""
    return [
        n
        for e in (*definition.values, *definition.args, *predicates_of(definition))
        for n in post_order(e)
        if isinstance(n, ir.Call) and n.call_type is CallType.HALIDE and n.target is function
    ]


def is_associative_update(function: Function, definition: Definition) -> bool:
    """f(args) = f(args) op e with an integer op whose order does not matter and e free of f."""
    if len(definition.values) != 1:
        return False
    return associative_operation(function, definition) is not None


def associative_operation(function: Function, definition: Definition) -> tuple[Expr, Expr] | None:
    """(the operation node, the operand e) of an update f(args) = f(args) op e on integers, or None."""
    if definition.values[0].type.is_float():
        return None
    return operation_and_operand(function, definition, 0)


def operation_and_operand(function: Function, definition: Definition, index: int) -> tuple[Expr, Expr] | None:
    """(the operation node, the operand e) where value `index` of an update is f(args)[index] op e with an op that is
    associative and commutative, rounding apart, and e is free of f."""
    value = definition.values[index]
    if isinstance(value, ir.Add | ir.Mul | ir.Min | ir.Max | ir.And | ir.Or):
        sides = [(value.a, value.b), (value.b, value.a)]
    elif isinstance(value, ir.Call) and value.name in _ASSOCIATIVE and value.call_type is CallType.INTRINSIC:
        sides = [(value.args[0], value.args[1]), (value.args[1], value.args[0])]
    elif isinstance(value, ir.Sub):
        sides = [(value.a, value.b)]
    else:
        return None
    for mine, other in sides:
        if not (isinstance(mine, ir.Call) and mine.target is function and mine.call_type is CallType.HALIDE):
            continue
        if mine.value_index != index or len(mine.args) != len(definition.args) or any(
            key(a) != key(b) for a, b in zip(mine.args, definition.args, strict=True)
        ):
            continue
        inner = [n for e in (other, *definition.args, *predicates_of(definition)) for n in post_order(e)]
        if any(isinstance(n, ir.Call) and n.target is function for n in inner):
            continue
        return value, other
    return None


def atomic_operand(function: Function, definition: Definition) -> tuple[str, Expr] | None:
    """(operation, operand e) of an update f(args) = f(args) op e that a device makes in one step; None for others.

    The order of such updates is anyone's: of floats, only where a schedule's `atomic` says that it may be."""
    if len(definition.values) != 1 or definition.values[0].type.is_bool():
        return None
    found = operation_and_operand(function, definition, 0)
    if found is None or found[0].type.bits not in (8, 16, 32, 64):
        return None
    value, operand = found
    if value.type.is_float() and (value.type.bits < 32 or not definition.schedule.atomic):
        return None
    if isinstance(value, ir.Sub):
        zero = const(0, value.type)
        if value.type.is_float():
            zero = ir.FloatImm(value.type, -0.0)  # less of which is the negative, also of 0
        return "add", ir.Sub(value.type, zero, operand)
    for kind, name in ((ir.Add, "add"), (ir.Mul, "mul"), (ir.Min, "min"), (ir.Max, "max")):
        if isinstance(value, kind):
            return name, operand
    if isinstance(value, ir.Call):
        return value.name.removeprefix("bitwise_"), operand
    return None


def is_reduction_operator(function: Function, definition: Definition) -> bool:
    """Whether every value of an update is an associative operation on its own element."""
    return all(operation_and_operand(function, definition, k) is not None for k in range(len(definition.values)))


def is_pure_loop(function: Function, definition: Definition, var: str, in_order: bool = False) -> bool:
    """Whether different iterations of loop `var` touch different elements of `function`; `in_order`: while the loops
    around it stand still."""
    roots, loops = roots_of(definition, var), loops_of(function, definition)
    calls = self_calls(function, definition)
    if in_order:
        around = _loops_around(definition, var, loops)
        calls = [c for c in calls if not _lies_apart(c, definition, around, loops)]
    for root in roots & loops:
        places = [i for i, a in enumerate(definition.args) if steps_along(a, root, loops) is not None]
        if not any(all(key(c.args[p]) == key(definition.args[p]) for c in calls) for p in places):
            return False
    return True


def _loops_around(definition: Definition, var: str, loops: set[str]) -> set[str]:
    """The original variables of which no part is loop `var` or inside of it."""
    names = [d.var for d in definition.schedule.dims]
    inside = [roots_of(definition, n) for n in names[: names.index(var) + 1]]
    return loops.difference(*inside)


def _lies_apart(call: ir.Call, definition: Definition, around: set[str], loops: set[str]) -> bool:
    """Whether a read is of an element that no iteration stores to while the loops `around` stand still, as one of the
    row above is."""
    for stored, read in zip(definition.args, call.args, strict=True):
        if (variables(stored) | variables(read)) & loops <= around and is_coordinate(stored) and is_coordinate(read):
            (mine, here), (its, there) = linear_terms(stored), linear_terms(read)
            same = {k: f for k, (_, f) in mine.items() if f} == {k: f for k, (_, f) in its.items() if f}
            fixed = not any(contains(t, ir.Call) for t, _ in mine.values())
            if same and fixed and 0 < abs(here - there) < 1 << 31:
                return True
    return False


def loops_of(function: Function, definition: Definition) -> set[str]:
    """The variables of a definition: its dimensions and those of its reduction domain."""
    domain = {n for n, _, _ in definition.domain.variables} if definition.domain is not None else set()
    return domain | set(function.args)


def steps_along(coordinate: Expr, root: str, loops: Container[str]) -> int | None:
    """How far a coordinate moves from one iteration of a loop to the next, if no other loop moves it."""
    if isinstance(coordinate, ir.Variable):
        return 1 if coordinate.name == root else None
    if not is_coordinate(coordinate):
        return None
    terms, _ = linear_terms(coordinate)
    own = [f for t, f in terms.values() if isinstance(t, ir.Variable) and t.name == root]
    moving = [t for t, _ in terms.values() if any(v == root or v in loops for v in variables(t))]
    fixed = all(not isinstance(n, ir.Call) for t, _ in terms.values() for n in post_order(t))
    return own[0] if len(own) == 1 and len(moving) == 1 and fixed and own[0] else None


def runs_in_order(function: Function, stage: int, definition: Definition, var: str) -> bool:
    """Whether loop `var` must run serially although it is marked parallel or vectorized: iterations that meet in one
    element are allowed by atomic or allow_race_conditions, and only sums into one element are made of vectors."""
    if stage == 0 or is_pure_loop(function, definition, var, in_order=True):
        return False
    if not is_associative_update(function, definition):
        return True
    made = roots_of(definition, var)
    return any(isinstance(n, ir.Variable) and n.name in made for a in definition.args for n in post_order(a))


def check_unordered(function: Function, stage: int, definition: Definition, var: str, kind: ForKind) -> None:
    """Raises HalideError when running loop `var` in parallel or as a vector may change the result."""
    if stage == 0 or is_pure_loop(function, definition, var, in_order=True):
        return
    if definition.schedule.atomic or definition.schedule.allow_races:
        return
    raise HalideError(
        f"Func {function.name}.update({stage - 1}): loop {var} cannot be {kind.value}: its iterations may write or "
        "read the same element. Use atomic() where the operation is associative, rfactor, or make another loop "
        f"{kind.value}"
    )


def check_atomic(function: Function, stage: int, definition: Definition) -> None:
    """Raises HalideError unless the update is a reduction whose order may be changed."""
    if stage and self_calls(function, definition) and not is_reduction_operator(function, definition):
        raise HalideError(
            f"Func {function.name}.update({stage - 1}): atomic needs an associative and commutative operation, which "
            "this update is not known to be"
        )


def check_blends(label: str, definition: Definition) -> None:
    """Raises HalideError where a tail that loads and stores what other blocks compute may do so while they run."""
    schedule = definition.schedule
    parallel = [d.var for d in schedule.dims if d.kind in UNORDERED_KINDS]
    if schedule.allow_races or not parallel:
        return
    for s in schedule.splits:
        if isinstance(s, Split) and s.tail in (TailStrategy.ShiftInwardsAndBlend, TailStrategy.RoundUpAndBlend):
            together = roots_of(definition, s.old)
            meeting = next((p for p in parallel if together & roots_of(definition, p)), None)
            if meeting is not None:
                raise HalideError(
                    f"{label}: tail strategy {s.tail.name} may not be used to split {s.old}, for loop {meeting} over "
                    "the same dimension is parallel: what a tail keeps may be stored by another thread"
                )


def check_reorder(function: Function, stage: int, definition: Definition, old: list[str], new: list[str]) -> None:
    """Raises HalideError when the new order of loops may change the result of an update, rounding apart."""
    if stage == 0 or is_reduction_operator(function, definition):
        return
    impure = [v for v in old if not is_pure_loop(function, definition, v)]
    if [v for v in new if v in impure] != impure:
        raise HalideError(
            f"Func {function.name}.update({stage - 1}): reorder would change the order of the reduction loops "
            f"{', '.join(impure)}, on which the result may depend"
        )
