"""What the arithmetic of a definition costs, in cycles a point once it runs in vectors.

The weights are measured ratios of throughputs of current x86-64 processors; only their order of magnitude matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

from halide_core.ir import expr as ir
from halide_core.ir.expr import Call, CallType, Expr, Variable, const_value
from halide_core.ir.structural import contains, key, post_order, variables
from halide_core.ir.sums import difference

# Cycles of one instruction on a whole register, and of a function of floats.
_SIMPLE, _DIVISION, _ROOT, _FUNCTION = 0.6, 10.0, 18.0, 30.0
# Cycles an element of what runs lane by lane: functions of the C library, gathers, integer divisions.
_LIBRARY, _GATHER, _INTEGER_DIVISION = 30.0, 1.5, 8.0
# The same for gathers of which every lane lies in another line.
_ACROSS = 5.0
# The same for storing where data choose.
_SCATTER = 2.4
# Times as long that a vector of one channel of pixels takes to read or write as one of a plane.
INTERLEAVED = 3.0
# What is known of expressions, by their numbers.
_READS: dict[tuple[tuple[int, ...], int, str, int, int, int | None], float] = {}
# Emptied when full, so that long processes do not grow without end.
_MOST_READS = 1 << 16


@dataclass(frozen=True, slots=True)
class Site:
    """One distinct call of a Func or image: the coordinates and the bytes of an element."""

    name: str
    args: tuple[Expr, ...]
    bytes: int
    target: object


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`vector_bytes`: cycles of vector work, times the bytes of a register, a point; `lane_cycles`: cycles of scalar
    work a point; `sites`: the reads."""

    vector_bytes: float
    lane_cycles: float
    sites: tuple[Site, ...]

    def cycles(self, register: int) -> float:
        """Cycles a point, reads apart, where registers have `register` bytes."""
        return self.vector_bytes / register + self.lane_cycles


def arithmetic(values: tuple[Expr, ...]) -> Arithmetic:
    """The cost of computing `values` together, each distinct node once; coordinates of dense reads cost nothing."""
    total, lanes = 0.0, 0.0
    sites: dict[int, Site] = {}
    seen: set[int] = set()
    work = list(values)
    while work:
        n = work.pop()
        if key(n) in seen:
            continue
        seen.add(key(n))
        if is_read(n):
            sites[key(n)] = site_of(n)
            work.extend(a for a in n.args if contains(a, Call))
            continue
        work.extend(ir.children(n))
        more, scalar = node_cost(n)
        total += more
        lanes += scalar
    return Arithmetic(total, lanes, tuple(sites.values()))


def node_cost(n: Expr) -> tuple[float, float]:
    """(cycles of vector work, times the bytes of a register, cycles of each lane) of one node, its operands apart."""
    if const_value(n) is not None or isinstance(n, Variable):
        return 0.0, 0.0
    width = max([n.type.bytes(), *(c.type.bytes() for c in ir.children(n))])
    more, scalar = _node(n)
    return more * width, scalar


def site_of(read: Call) -> Site:
    """What a call of a Func or image reads."""
    return Site(read.name, read.args, read.type.bytes(), read.target)


def is_read(n: Expr) -> TypeGuard[Call]:
    """Whether `n` is a call of a Func or image."""
    return isinstance(n, Call) and n.call_type in (CallType.HALIDE, CallType.IMAGE)


def write_cycles(places: tuple[Expr, ...], bytes_: int, register: int, step: int | None = 1) -> float:
    """Cycles a point of storing elements of `bytes_` at `places`, in vectors; `step` elements apart (None: not known
    how many)."""
    if any(is_read(n) for a in places for n in post_order(a)):
        return _SCATTER
    return 0.6 * bytes_ / register * (1.0 if step == 1 else INTERLEAVED)


def _node(n: Expr) -> tuple[float, float]:
    """(cycles of a whole register, cycles of each lane beside)."""
    match n:
        case ir.Div() | ir.Mod() if n.type.is_float():
            return _DIVISION, 0.0
        case ir.Div() | ir.Mod():
            constant = const_value(n.b)
            if constant is None:
                return 0.0, _INTEGER_DIVISION
            return (1.2 if constant > 0 and int(constant) & int(constant) - 1 == 0 else 4.0), 0.0
        case Call(call_type=CallType.PURE_EXTERN):
            if n.name.startswith("sqrt"):
                return _ROOT, 0.0
            cheap = n.name.startswith(("floor", "ceil", "round", "trunc", "is_", "fast_inverse"))
            return (2.0, 0.0) if cheap else (0.0, _LIBRARY)
        case Call() if ir.is_mathematics(n):
            return _FUNCTION, 0.0
        case Call(name="undef"):
            return 0.0, 0.0
        case Call(name="lerp"):
            return 4.0, 0.0
    return _SIMPLE, 0.0


def read_cycles(site: Site, vector: str, register: int, inner: int = 0, step: int | None = 1) -> float:
    """Cycles a point of reading `site` in a loop over `vector`; `inner`: the dimension along which memory runs, `step`
    elements at a time (None: not known how many)."""
    entry = tuple(map(key, site.args)), site.bytes, vector, register, inner, step
    if entry not in _READS:
        if len(_READS) > _MOST_READS:
            _READS.clear()
        _READS[entry] = _read_cycles(site, vector, register, inner, step)
    return _READS[entry]


def _read_cycles(site: Site, vector: str, register: int, inner: int, step: int | None) -> float:
    along = [d for d, a in enumerate(site.args) if vector in variables(a)]
    if any(is_read(n) for a in site.args if contains(a, Call) for n in post_order(a)):
        return _GATHER
    if not along:
        # One scalar for the whole vector.
        return 0.5 * site.bytes / register
    if along != [inner]:
        return _ACROSS
    if step is None:
        return _GATHER
    # Pixels of interleaved channels take loads of as many registers, and shuffles.
    apart = 1.0 if step == 1 else INTERLEAVED
    if difference(site.args[inner], Variable(site.args[inner].type, vector)) is not None:
        return 0.6 * apart * site.bytes / register
    steps = [n for n in post_order(site.args[inner]) if isinstance(n, ir.Div | ir.Mul | ir.Mod)]
    if any((const_value(n.b) or 8) > 4 for n in steps):
        return _GATHER
    return (2.4 if steps else 1.2) * apart * site.bytes / register
