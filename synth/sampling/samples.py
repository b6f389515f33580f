"""Small concrete instances of a path: parameter values, and the points that each effect visits under them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from halide_core.ir import expr as E
from halide_core.ir.expr import CallType, Expr, Variable, const_value
from halide_core.ir.structural import key, post_order, variables
from halide_core.ir.types import Type
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.effects import Effect, LoopInfo, Path, loads
from lifter.ir.loop_ir import Function
from lifter.ir.names import is_address
from synth.sampling.solver_samples import solved_environments

Env = dict[str, int]
MAX_POINTS = 6000
_MOST_OF_CONSTANT_LOOPS = 1 << 18
_MANY_LARGE = 3
"""Samples, where all have more points than `MAX_POINTS`."""


def _quotient(a: int, b: int) -> int:
    return a // b if (a < 0) == (b < 0) else -(-a // b)


def _remainder(a: int, b: int) -> int:
    return a - b * _quotient(a, b)


_OPERATORS = {"shift_right": ">>", "shift_left": "<<", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}
_TOWARD_ZERO = {"div_round_to_zero": _quotient, "mod_round_to_zero": _remainder}


def to_python(e: Expr) -> str:
    """Python source for an integer or boolean expression read as mathematical integers, over a dictionary `v`."""
    value = const_value(e)
    if value is not None:
        return repr(int(value))
    if isinstance(e, Variable):
        return f"v[{e.name!r}]"
    if isinstance(e, E.Cast):
        return to_python(e.value) if not e.type.is_bool() else f"({to_python(e.value)} != 0)"
    symbols: dict[type, str] = {
        E.Add: "+",
        E.Sub: "-",
        E.Mul: "*",
        E.Div: "//",
        E.Mod: "%",
        E.EQ: "==",
        E.NE: "!=",
        E.LT: "<",
        E.LE: "<=",
        E.GT: ">",
        E.GE: ">=",
        E.And: "and",
        E.Or: "or",
    }
    symbol = symbols.get(type(e))
    if symbol is not None:
        a, b = E.children(e)
        if e.type.is_bool() and a.type.is_int_or_uint() and not a.type.is_bool():
            a, b = from_poly(to_poly(a)), from_poly(to_poly(b))
        return f"({to_python(a)} {symbol} {to_python(b)})"
    if isinstance(e, E.Call) and e.name in _OPERATORS and len(e.args) == 2:
        left, right = (to_python(x) for x in e.args)
        if e.name.startswith("shift"):  # C leaves other counts undefined
            right = f"min(max({right}, 0), {e.type.bits - 1})"
        return f"({left} {_OPERATORS[e.name]} {right})"
    if isinstance(e, E.Call) and e.name in _TOWARD_ZERO and e.call_type is CallType.INTRINSIC:
        left, right = (to_python(x) for x in e.args)
        return f"{e.name}({left}, {right})"
    if isinstance(e, E.Min | E.Max):
        return f"{type(e).__name__.lower()}({to_python(e.a)}, {to_python(e.b)})"
    if isinstance(e, E.Not):
        return f"(not {to_python(e.a)})"
    if isinstance(e, E.Select):
        return f"({to_python(e.true_value)} if {to_python(e.condition)} else {to_python(e.false_value)})"
    raise NotConcrete(str(e))


class NotConcrete(Exception):
    """The expression depends on image data or is outside integer arithmetic."""


_COMPILED: dict[int, Callable[[Mapping[str, int]], Any]] = {}


def compiled(e: Expr) -> Callable[[Mapping[str, int]], Any]:
    """A Python function of the variables' values for an integer expression.  Raises NotConcrete, for parameters
    that are floating-point numbers too: small runs have none."""
    number = key(e)
    if number not in _COMPILED:
        for n in post_order(e):
            if isinstance(n, Variable) and n.type.is_float():
                raise NotConcrete(n.name)
        _COMPILED[number] = eval(f"lambda v: {to_python(e)}", {"min": min, "max": max, **_TOWARD_ZERO})
    return _COMPILED[number]


def compiled_poly(p: Poly) -> Callable[[Mapping[str, int]], int]:
    """As `compiled`, for a polynomial."""
    return compiled(from_poly(p))


def points(loops: tuple[LoopInfo, ...], env: Env, guard: Expr | None = None) -> Iterator[Env]:
    """The iterations of a loop nest, in order, as values of its counters (with `env`'s)."""
    trips = [compiled_poly(loop.trip) for loop in loops]
    test = compiled(guard) if guard is not None and not loads(guard) else None
    unknown = (variables(guard) if guard is not None and test else set()) - env.keys() - {x.counter for x in loops}
    if unknown:  # where memory lies, say
        raise NotConcrete(f"a condition on {', '.join(sorted(unknown))}")
    # Loops as long as a table is, whatever the parameters, are gone through whole.
    constant = math.prod(t for loop in loops if (t := loop.trip.constant_value()) is not None)
    most = max(MAX_POINTS, min(4 * constant, _MOST_OF_CONSTANT_LOOPS))
    count = 0

    def walk(depth: int, here: Env) -> Iterator[Env]:
        nonlocal count
        if depth == len(loops):
            count += 1
            if count > most:
                raise NotConcrete("too many iterations")
            if test is None or test(here):
                yield here
            return
        for k in range(trips[depth](here)):
            yield from walk(depth + 1, {**here, loops[depth].counter: k})

    yield from walk(0, dict(env))


def parameters(function: Function) -> dict[str, Type]:
    """Integer scalar parameters."""
    return {p.name: p.type for p in function.params if not p.pointer and p.type.is_int_or_uint()}


def sample_environments(
    function: Function,
    path: Path,
    conditions: list[Expr],
    count: int,
    seed: int = 1,
    sizes: tuple[int, int] = (3, 17),
) -> list[Env]:
    """Parameter values, small (`sizes`) and in general position, that satisfy the path's conditions and asserts and
    under which no loop has a negative trip count.  Fewer than `count` where they are hard to find."""
    return _Drawing(function, path, conditions, seed, sizes).environments(count)


class _Drawing:
    """Draws parameter values until enough of them take a path."""

    def __init__(
        self, function: Function, path: Path, conditions: list[Expr], seed: int, sizes: tuple[int, int]
    ) -> None:
        self.rng = random.Random(seed)
        self.sizes = sizes
        self.names = parameters(function)
        self.strides = _stride_names(path)
        self.required = [*path.conditions, *(a for a, _ in path.asserts), *conditions]
        self.between = {n for info, _, _ in path.trips for n in info.trip.names() if is_address(n)}
        told = {name for c in self.required for n in post_order(c) for name in _address(n)}
        self.addresses = sorted(told | self.between)
        self.tests = _concrete(self.required)
        self.repairs = [r for c in self.required for r in _repairs(c, set(self.names))]
        self.outer = [compiled_poly(info.trip) for info, around, _ in path.trips if not around]
        self.constants = _constants(path)
        self.packed = _packed([*self.required, *(from_poly(info.trip) for info, _, _ in path.trips)], self.names)
        self.counts = _counts(path, self.required, self.names)
        self.block = _block(path)
        self.count_points = _counter_of_points(path)

    def environments(self, count: int) -> list[Env]:
        found: list[Env] = []
        large: list[Env] = []
        for attempt in range(4000):
            # Sizes that are multiplied with each other or with those of tiles are to be very small.
            env = self._sizes(attempt, tiny=len(large) >= 2 * count)
            self._addresses(env)
            try:
                if self._taken(env, attempt):
                    (found if self.count_points(env) <= MAX_POINTS else large).append(env)
            except (KeyError, ZeroDivisionError):
                continue
            if len(found) >= count:
                break
        if found or large:
            return found or large[:_MANY_LARGE]
        solved = solved_environments(self.required, self.names, self.addresses, self.tests, count, self.rng)
        return [env for env in solved if self._runs(env, 0) and self.count_points(env) <= MAX_POINTS]

    def _sizes(self, attempt: int, tiny: bool) -> Env:
        env: Env = {}
        # Half of the sizes let bodies of many elements an iteration run, too.
        more = 2 * self.block if attempt % 2 else 0
        for n, t in self.names.items():
            low, high = (18, 41 + more) if n in self.strides else (self.sizes[0], self.sizes[1] + more)
            if n in self.counts and attempt % 8:
                low, high = 0, 3
            elif tiny:
                low, high = 1, 6
            elif attempt > 1500:
                low, high = 0, 70
            drawn = self.rng.randint(0, 1) if t.is_bool() else self.rng.randint(low, high)
            env[n] = drawn if t.is_bool() else max(t.min(), min(t.max(), drawn))
            if self.constants and self.rng.random() < 0.08:
                env[n] = self.rng.choice(self.constants)
            if n in self.packed and attempt > 2000:  # no small numbers take the path
                env[n] = self.rng.getrandbits(self.rng.choice((8, 16, 24, 31))) & t.max()
            if self.block and attempt % 3 == 0 and not t.is_bool():
                env[n] -= env[n] % self.block  # for code that asks for aligned rows
        return env

    def _addresses(self, env: Env) -> None:
        for k, n in enumerate(self.addresses):
            # Null, one address for several arrays, or one of its own; not aligned where blocks may ask for that.
            env[n] = self.rng.choice((0, 1 << 20, (k + 2) << 20, (1 << 20) + (1 if self.block else 0)))
            if n in self.between:  # an end of a loop, within the array of another pointer
                env[n] = (1 << 20) + 8 * self.rng.randint(0, 40)

    def _taken(self, env: Env, attempt: int) -> bool:
        """Whether the values take the path; every other time they are repaired before."""
        if attempt % 2 and not self._holds(env):
            _repair(env, self.repairs, self.names, self.rng)
        return self._holds(env) and self._runs(env, 0 if attempt % 4 else 1)

    def _holds(self, env: Env) -> bool:
        return all(test(env) for test in self.tests)

    def _runs(self, env: Env, least: int) -> bool:
        """Whether outermost loops run at least so often."""
        return all(trip(env) >= least for trip in self.outer)


def _concrete(conditions: list[Expr]) -> list[Callable[[Mapping[str, int]], Any]]:
    """Those of the conditions that parameter values alone decide."""
    tests = []
    for c in conditions:
        try:
            tests.append(compiled(c))
        except NotConcrete:
            continue
    return tests


def _counter_of_points(path: Path) -> Callable[[Env], int]:
    """About how often the effect that runs most often runs, inner trip counts taken at the first iteration."""
    nests = []
    for e in path.effects:
        try:
            nests.append([(loop.counter, compiled_poly(loop.trip)) for loop in e.loops])
        except NotConcrete:
            continue

    def most(env: Env) -> int:
        here = {**env, **{counter: 0 for nest in nests for counter, _ in nest}}
        return max((math.prod(max(trip(here), 0) for _, trip in nest) for nest in nests), default=0)

    return most


@dataclass(frozen=True, slots=True)
class _Repair:
    """A comparison of `poly` with 0 that a change of one of `names`, whose coefficients are 1 or -1, can make true."""

    holds: Callable[[int], bool]
    wanted: Callable[[random.Random], int]
    value: Callable[[Mapping[str, int]], int]
    names: tuple[tuple[str, int], ...]


_WANTED: dict[type[Expr], tuple[Callable[[int], bool], Callable[[random.Random], int]]] = {
    E.EQ: (lambda x: x == 0, lambda _: 0),
    E.LT: (lambda x: x < 0, lambda rng: -rng.randint(1, 8)),
    E.LE: (lambda x: x <= 0, lambda rng: -rng.randint(0, 8)),
    E.GT: (lambda x: x > 0, lambda rng: rng.randint(1, 8)),
    E.GE: (lambda x: x >= 0, lambda rng: rng.randint(0, 8)),
}


def _repairs(c: Expr, names: set[str]) -> list[_Repair]:
    """The comparisons that all must hold for `c` to hold, as far as they are of this form."""
    if isinstance(c, E.And):
        return _repairs(c.a, names) + _repairs(c.b, names)
    wanted = _WANTED.get(type(c))
    if wanted is None:
        return []
    a, b = E.children(c)
    if not a.type.is_int_or_uint() or a.type.is_bool():
        return []
    p = to_poly(a) - to_poly(b)
    free = [(n, p.coefficient(n)) for n in sorted(p.names() & names)]
    units = [(n, int(k)) for n, q in free if q is not None and (k := q.constant_value()) in (1, -1)]
    try:
        return [_Repair(*wanted, compiled_poly(p), tuple(units))] if units else []
    except NotConcrete:
        return []


def _repair(env: Env, repairs: list[_Repair], names: Mapping[str, Type], rng: random.Random) -> None:
    """Changes parameters, one for each comparison that does not hold: equalities between them (a width equal to a
    stride) and negative values are all but never drawn."""
    for r in repairs:
        now = r.value(env)
        if not r.holds(now):
            name, coefficient = rng.choice(r.names)
            new = env[name] + (r.wanted(rng) - now) * coefficient
            if names[name].min() <= new <= names[name].max():
                env[name] = new


def _address(n: Expr) -> list[str]:
    """The name of the address of a parameter's array, which null checks ask for, where `n` is one."""
    return [n.name] if isinstance(n, Variable) and is_address(n.name) else []


def _stride_names(path: Path) -> set[str]:
    out: set[str] = set()
    for e in path.effects:
        for c in e.counters:
            coefficient = e.index.coefficient(c)
            if coefficient is not None:
                out |= coefficient.names()
        for load in loads(e.value):
            p = to_poly(load.index)
            for c in e.counters:
                coefficient = p.coefficient(c)
                if coefficient is not None:
                    out |= coefficient.names()
    return out


def _block(path: Path) -> int:
    """The most elements that a loop is seen to take in an iteration, where they are many; else 0."""
    found = [0]
    for info, _, _ in path.trips:
        for atom in info.trip.atoms().values():
            for n in post_order(atom):
                if isinstance(n, E.Div):
                    found.append(int(const_value(n.b) or 0))
    return min(max(found), 64) if max(found) >= 8 else 0


def _packed(told: list[Expr], names: Mapping[str, Type]) -> set[str]:
    """The parameters of which some bits decide, as of a word of flags and counts."""
    calls = [n for e in told for n in post_order(e) if isinstance(n, E.Call)]
    return {x for n in calls if n.name in ("bitwise_and", "shift_right") for x in variables(n)} & names.keys()


def _counts(path: Path, told: list[Expr], names: Mapping[str, Type]) -> set[str]:
    """The parameters that sizes and places are shifted by."""
    polys = [*(info.trip for info, _, _ in path.trips), *(e.index for e in path.effects)]
    whole = [*told, *(a for p in polys for a in p.atoms().values())]
    whole += [n.index for e in (*path.effects, *path.reads) for n in loads(e.value)]
    calls = [n for e in whole for n in post_order(e) if isinstance(n, E.Call)]
    shifts = [n for n in calls if n.name in ("shift_left", "shift_right")]
    return {x for n in shifts for x in variables(n.args[1])} & names.keys()


def _constants(path: Path) -> list[int]:
    found: set[int] = set()
    for e in path.effects:
        for n in post_order(e.value):
            value = const_value(n)
            if isinstance(value, int) and 0 <= value <= 64:
                found.add(value)
    return sorted(found)


def visited(e: Effect, env: Env) -> list[Env]:
    """The iterations of one effect."""
    return list(points(e.loops, env, e.guard))
