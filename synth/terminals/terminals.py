"""Stage two: terminals mapped into the dimensions of the region of interest (paper, section 4.2)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from halide_core.ir import expr as E
from halide_core.ir.expr import I32, Call, CallType, Expr, Load, Variable
from halide_core.ir.structural import contains, post_order, transform, variables
from halide_core.ir.types import Type
from lifter.algebra.anti_unify import INSIDE, AntiUnifier, Inside
from lifter.algebra.polynomial import Poly, atom_of, from_poly, sign_of, to_poly
from lifter.ir.effects import Effect, loads
from lifter.ir.names import is_read
from lifter.ir.summary import EffectMap, Layout
from synth.region.coordinates import NoMapping, coordinate
from verifier.memory_states import Seen


@dataclass(frozen=True, slots=True)
class Mapper:
    """Rewrites one effect's expressions from its loop counters to the dimensions of its Func."""

    effect: Effect
    map: EffectMap
    names: tuple[str, ...]
    rnames: tuple[str, ...]
    suggestions: bool = True

    def axes(self) -> list[tuple[str, Poly]]:
        """Every dimension, pure or reduction, with its coordinate over the counters."""
        pure = list(zip(self.names, self.map.coords, strict=True))
        return [*pure, *zip(self.rnames, self.map.rvars, strict=True)]

    def poly(self, p: Poly) -> Poly:
        """`p` over the dimensions.  Raises NoMapping."""
        counters = set(self.effect.counters)
        if not p.names() & counters:
            return p
        if not self.suggestions:
            found = self._search(p)
            if found is None:
                raise NoMapping(f"no index of the grammar denotes {p}")
            return found
        if self.map.inverse and all(_is_simple(q) for q in self.map.inverse.values()):
            return p.substitute(self.map.inverse)
        solved = self._solve(p, counters) or self._inside(p, counters)
        if solved is not None:
            return solved
        if self.map.inverse:
            return p.substitute(self.map.inverse)
        raise NoMapping(f"{p} has no place in the dimensions")

    def _search(self, p: Poly) -> Poly | None:
        """Index := m * intvar + const along each stride of `p`, enumerated until one denotes the same element."""
        axes = self.axes()
        strides = {Poly({tuple(a for a in m if not _counts(a, set(self.effect.counters))): 1}) for m in p.terms}
        ladder = sorted(strides, key=lambda s: (-max((len(m) for m in s.terms), default=0), str(s)))
        indices = [(None, 0)] + [(axis, m) for m in (1, 2, -1, 3, 4) for axis in axes]
        for choice in itertools.product(indices, repeat=len(ladder)):
            total = Poly()
            out = Poly()
            for s, (axis, m) in zip(ladder, choice, strict=True):
                if axis is not None:
                    total = total + s * axis[1].scale(m)
                    out = out + s * Poly.variable(axis[0], I32).scale(m)
            rest = p - total
            if not rest.names() & set(self.effect.counters):
                return out + rest
        return None

    def _solve(self, p: Poly, counters: set[str]) -> Poly | None:
        """`p` as a sum of multiples of the coordinates, one counter picked for each."""
        rest, out = p, Poly()
        for name, place in self.axes():
            best: tuple[int, str] | None = None
            for c in self.effect.counters:
                f = place.coefficient(c)
                value = f.constant_value() if f is not None else None
                if value and not any(c in other.names() for n, other in self.axes() if n != name):
                    best = min(best or (1 << 62, ""), (abs(value), c))
            if best is None:
                continue
            factor, mine = place.coefficient(best[1]), rest.coefficient(best[1])
            if mine is None or factor is None:
                return None
            share = mine.exact_quotient(factor)
            if share is None:
                return None
            rest = rest - share * place
            out = out + share * Poly.variable(name, I32)
        return out + rest if not rest.names() & counters else None

    def _inside(self, p: Poly, counters: set[str]) -> Poly | None:
        """`p` with the operands of its quotients and extrema over the dimensions (a coordinate in fixed point: 2*k*dx
        of an unrolled body is x*dx)."""
        affine, rest = Poly(), Poly()
        for m, c in p.terms.items():
            atoms = [atom_of(a) for a in m]
            moving = [not isinstance(a, Variable) and bool(Poly.atom(a).names() & counters) for a in atoms]
            if not any(moving):
                affine = affine + Poly({m: c})
                continue
            product = Poly.constant(c)
            for a, moves in zip(atoms, moving, strict=True):
                if not moves:
                    product = product * self.poly(Poly.atom(a))
                    continue
                if not isinstance(a, E.Div | E.Min | E.Max):
                    return None
                left, right = (from_poly(self.poly(to_poly(q))) for q in (a.a, a.b))
                product = product * to_poly(type(a)(left.type, left, right))
            rest = rest + product
        if rest.is_zero():
            return None
        solved = self._solve(affine, counters) if affine.names() & counters else affine
        return None if solved is None else solved + rest

    def value(self, e: Expr, terminal: Callable[[Load, Poly], Expr]) -> Expr:
        """`e` over the dimensions, with each Load replaced by `terminal(load, index over the dimensions)`."""
        counters = set(self.effect.counters)
        done: dict[int, Expr] = {}

        def convert(n: Expr) -> Expr:
            if id(n) in done:
                return done[id(n)]
            if is_read(n):
                result = terminal(n, self.index(to_poly(n.index), convert))
            elif _is_index_like(n, counters):
                result = self.integer(n)
            else:
                result = E.with_children(n, tuple(convert(c) for c in E.children(n)))
            done[id(n)] = result
            return result

        return convert(e)

    def integer(self, n: Expr) -> Expr:
        """An integer expression of counters: as a whole if that works, else its counters one by one."""
        p = modular_poly(n)
        return from_poly(self.poly(p), n.type)

    def index(self, p: Poly, convert: Callable[[Expr], Expr]) -> Poly:
        """An address over the dimensions; atoms that read memory are converted on their own."""
        affine = Poly({m: c for m, c in p.terms.items() if not any(loads(atom_of(a)) for a in m)})
        out = self.poly(affine)
        for m, c in p.terms.items():
            if m in affine.terms:
                continue
            product = Poly.constant(c)
            for a in m:
                atom = atom_of(a)
                product = product * to_poly(convert(atom)) if loads(atom) else product * self.poly(Poly.atom(atom))
            out = out + product
        return out


def _counts(atom: int, counters: set[str]) -> bool:
    return bool(Poly.atom(atom_of(atom)).names() & counters)


def _is_simple(p: Poly) -> bool:
    """A coordinate plus constants: substituting it leaves expressions as readable as they were."""
    return all(isinstance(a, Variable) for a in p.atoms().values())


def _is_index_like(n: Expr, counters: set[str]) -> bool:
    if isinstance(n, Variable):
        return n.name in counters
    if not isinstance(n, E.Add | E.Sub | E.Mul) or not n.type.is_int_or_uint() or n.type.bits < 32:
        return False
    inner = list(post_order(n))
    return (
        any(isinstance(m, Variable) and m.name in counters for m in inner)
        and all(isinstance(m, Variable | E.IntImm | E.UIntImm | E.Add | E.Sub | E.Mul | E.Cast) for m in inner)
        and all(m.type.is_int_or_uint() and m.type.bits >= 32 for m in inner)
    )


def modular_poly(n: Expr) -> Poly:
    """Sums and products of one integer type as a polynomial, exact modulo 2**bits; anything else is an atom."""
    if isinstance(n, E.Add | E.Sub | E.Mul):
        a, b = modular_poly(n.a), modular_poly(n.b)
        return a + b if isinstance(n, E.Add) else a - b if isinstance(n, E.Sub) else a * b
    value = E.const_value(n)
    if value is not None:
        return Poly.constant(int(value))
    if isinstance(n, E.Cast) and isinstance(n.value, Variable) and n.type.can_represent(n.value.type):
        return Poly.atom(n.value)
    return Poly.atom(n)


def input_strides(indices: list[Poly], names: set[str], owners: list[Layout]) -> list[Poly]:
    """Strides, innermost first, that turn the addresses read from an image into coordinates.

    `names` are the dimensions' names; `owners` the layouts of what is computed from the image."""
    prefer = [d.stride for layout in owners for d in layout.dims if d.stride is not None]
    compound: dict[tuple[int, ...], Poly] = {}
    constants: set[int] = set()
    symbolic_factor: list[int] = []
    for p in indices:
        for n in names:
            c = p.coefficient(n)
            if c is None or c.is_zero():
                continue
            value = c.constant_value()
            if value is not None:
                constants.add(abs(value))
                continue
            lead = max(c.terms, key=lambda m: (len(m), m))
            divisor = _gcd([abs(v) for v in c.terms.values()])
            sign = sign_of(c)
            primitive = Poly({m: sign * v // divisor for m, v in c.terms.items()})
            symbolic_factor.append(divisor)
            compound[tuple(sorted(lead))] = primitive
        for rest, factor in _of_quotients(p, names):
            symbolic_factor.append(factor)
            compound.setdefault(rest, Poly({rest: 1}))
    compound = {m: _as_preferred(s, m, indices, prefer) for m, s in compound.items()}
    data_steps = {abs(c) for p in indices for m, c in p.terms.items() if any(loads_or_calls(atom_of(a)) for a in m)}
    step = _gcd([*constants])
    ladder = sorted(compound.values(), key=lambda s: (max(len(m) for m in s.terms), str(s)))
    pixel = _pixel_of(owners, indices, names, ladder)
    if pixel and not data_steps:
        return [Poly.constant(1), Poly.constant(pixel), *ladder]
    preferred = [c for c in (s.constant_value() for s in prefer) if c]
    step = _pixel(indices, step, preferred)
    offsets = {p.terms.get((), 0) % step for p in indices} if step > 1 else {0}
    inner = [Poly.constant(1)]
    factor = _gcd(symbolic_factor) if symbolic_factor else 1
    rows = [c for p in indices for m in compound for n, c in p.terms.items() if set(m) <= set(n)]
    pixels = len(offsets) > 1 and all(c % step == 0 for c in rows)  # some of a pixel, and no row in between
    resampled = step > 1 and factor % step == 0 and bool(ladder) and not pixels
    channels = step > 2 or step in preferred or (step == 2 and bool(ladder) and not resampled)
    if step > 1 and channels and not resampled and not data_steps and len(offsets) <= step:
        inner = [Poly.constant(1), Poly.constant(step)]
        if factor > 1 and all(_gcd([factor, step]) == step for _ in (0,)):
            ladder = [s.scale(step) for s in ladder]
    elif data_steps and max(data_steps) > 1:
        inner = [Poly.constant(1), Poly.constant(_gcd(sorted(data_steps)))]
    return inner + ladder


def _as_preferred(stride: Poly, m: tuple[int, ...], indices: list[Poly], prefer: list[Poly]) -> Poly:
    """`stride`, or the multiple of it that is a stride of what is computed, if all addresses are made of that: rows of
    `4*pitch` elements."""
    factors = [c for p in indices for n, c in p.terms.items() if set(m) <= set(n)]
    for wanted in prefer:
        times = wanted.exact_quotient(stride)
        k = times.constant_value() if times is not None else None
        if k is not None and k > 1 and all(c % k == 0 for c in factors):
            return wanted
    return stride


def _pixel_of(owners: list[Layout], indices: list[Poly], names: set[str], ladder: list[Poly]) -> int:
    """The elements of a pixel where all that is computed from an image is made of pixels, and the image is read at
    channels of pixels, of as many elements or others, in rows with the strides `ladder`; else 0."""
    sizes: set[int] = set()
    channels: dict[str, tuple[int, int]] = {}
    for layout in owners:
        known = [d.stride.constant_value() if d.stride is not None else None for d in layout.dims[:2]]
        if len(known) < 2 or known[0] != 1 or not known[1]:
            return 0
        low, extent = layout.dims[0].min.constant_value(), layout.dims[0].extent.constant_value()
        if low is None or extent is None or not 0 < extent <= abs(known[1]):
            return 0
        sizes.add(abs(known[1]))
        channels[layout.dims[0].name] = low, low + extent - 1
    if len(sizes) != 1:
        return 0
    others = [(m, c) for p in indices for m, c in p.terms.items() if m and not _is_channel(m, channels)]
    if not any(Poly({m: c}).names() & names for m, c in others):
        return 0  # coefficients, the same for each pixel
    apart = {abs(c) for _, c in others}
    tried = [*sizes, *([_gcd([*apart])] if apart else [])]
    return next((s for s in tried if s > 1 and all(_in_pixels(p, s, channels, ladder) for p in indices)), 0)


def _is_channel(m: tuple[int, ...], channels: Mapping[str, object]) -> bool:
    atom = atom_of(m[0]) if len(m) == 1 else None
    return isinstance(atom, Variable) and atom.name in channels


def _in_pixels(p: Poly, size: int, channels: dict[str, tuple[int, int]], ladder: list[Poly]) -> bool:
    """Whether an address is that of a channel of a pixel."""
    for s in reversed(ladder):
        _, p = p.divide_by(s)
    low = high = p.terms.get((), 0) % size
    for m, c in p.terms.items():
        if _is_channel(m, channels) and abs(c) == 1:
            (atom,) = map(atom_of, m)
            assert isinstance(atom, Variable)
            ends = sorted(c * end for end in channels[atom.name])
            low, high = low + ends[0], high + ends[1]
        elif m and c % size:
            return False
    return low >= 0 and high < size


def _of_quotients(p: Poly, names: set[str]) -> list[tuple[tuple[int, ...], int]]:
    """What parameters multiply quotients of coordinates by: the stride of tiles, `stride * (x/16)`."""
    out = []
    for m, factor in p.terms.items():
        varying = [a for a in m if variables(atom_of(a)) & names]
        rest = tuple(sorted(a for a in m if a not in varying))
        if rest and len(varying) == 1 and not isinstance(atom_of(varying[0]), Variable):
            out.append((rest, abs(factor)))
    return out


def _pixel(indices: list[Poly], step: int, preferred: list[int]) -> int:
    """The elements of one pixel where a body takes `step` elements, maybe several pixels, an iteration: a stride of
    what is computed; else what lets a remainder read of one pixel what the body reads of each."""
    if step <= 1:
        return step
    parts = sorted({d for d in preferred if 1 < d < step and step % d == 0}, reverse=True)
    if parts:
        return parts[0]
    read: dict[Poly, set[int]] = {}
    for p in indices:
        offset = p.terms.get((), 0)
        read.setdefault(p - Poly.constant(offset), set()).add(offset % step)
    everywhere = list(read.values())

    def alike(size: int) -> bool:
        """Whether every pixel of `size` elements that is read at all is read alike."""
        pixels = [{o % size for o in found if o // size == k} for found in everywhere for k in range(step // size)]
        return len({frozenset(p) for p in pixels if p}) == 1

    largest = next((d for d in range(step // 2, 0, -1) if step % d == 0 and alike(d)), step)
    if not alike(step):
        return largest
    partly = all(len(found) < step for found in everywhere)
    return largest if largest > 1 and partly and len(set.union(*everywhere)) > step // largest else step


def loads_or_calls(e: Expr) -> bool:
    """Whether an expression reads memory."""
    return contains(e, Load, Call)


def _gcd(values: list[int]) -> int:
    import math

    return math.gcd(*values) if values else 0


def image_call(type_: Type, name: str, coords: tuple[Poly, ...], seen: Seen) -> Expr:
    """The terminal `name(coords)`."""
    kind = CallType.IMAGE if seen.group is None else CallType.HALIDE
    return Call(type_, name, tuple(coordinate(c) for c in coords), kind)


def generalise(values: list[tuple[int, Expr]], name: str) -> Expr | None:
    """One expression over the dimension `name` that gives each of `values` at its coordinate, or None.

    Where the expressions differ only in integers that equal the coordinate (or differ from it by a constant), the
    integers become the coordinate: src(0, x, y), src(1, x, y), ... is src(c, x, y)."""
    points = [c for c, _ in values]

    def differing(es: Sequence[Expr]) -> Expr | Inside | None:
        if isinstance(es[0], E.IntImm) and es[0].type == I32:
            numbers = [e for e in es if isinstance(e, E.IntImm) and e.type == I32]
            shifts = {e.value - p for p, e in zip(points, numbers, strict=False)}
            same = len(numbers) == len(es) and len(shifts) == 1
            return from_poly(Poly.variable(name, I32) + Poly.constant(shifts.pop()), I32) if same else None
        reads = [e for e in es if isinstance(e, Load) and e.name.endswith("#")]
        return _unify_reads(points, reads, name) if len(reads) == len(es) else INSIDE

    return AntiUnifier(differing).one([v for _, v in values])


def _unify_reads(points: list[int], es: list[Load], name: str) -> Expr | None:
    """One read for those whose addresses differ by as much as the coordinate, or by a multiple of that."""
    if len({e.name for e in es}) != 1:
        return None
    first = to_poly(es[0].index)
    apart = [(to_poly(e.index) - first).constant_value() for e in es]
    factor, rest = divmod(int(apart[1]), points[1] - points[0]) if apart[1] is not None else (0, 1)
    if rest or any(d != factor * (p - points[0]) for d, p in zip(apart, points, strict=True)):
        return None
    moved = first + (Poly.variable(name, I32) - Poly.constant(points[0])).scale(factor)
    return E.with_children(es[0], (from_poly(moved),))


__all__ = ["Mapper", "generalise", "image_call", "input_strides", "transform"]
