"""Arguments for any lifted function, from its parameters' names and its summary: no line to write for a new function.

Scalars that the summary uses as extents get the image's size, strides what their rows take and some padding, others
what their name suggests.  The memory behind a pointer is what the summary's boxes say, to the element, where the
contract holds, so that a read or write beyond it meets an unmapped page; ample memory where it does not."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from codegen.variants import path_condition
from halide_core.errors import HalideError
from halide_core.interp.expr import evaluate as evaluate_expr
from halide_core.ir.expr import EQ, NE, Div, Expr, Variable, const_value
from halide_core.ir.structural import post_order, variables
from halide_core.ir.types import Type
from lifter.harness.argument_extents import NoArguments, Scalars, corners_of, layouts_of, row_length
from lifter.harness.contents import Bytes, edges, fill, hold_between, numpy_type
from lifter.harness.side_by_side import Arguments, Block, Guarded
from lifter.harness.source_constants import Constants
from lifter.ir.loop_ir import Param, left_fields
from lifter.ir.names import address_name
from lifter.ir.summary import Summary

Ranges = Mapping[str, tuple[int, int]]
AMPLE = 1 << 15
"""Elements on either side of a pointer where the contract does not hold."""
MOST = 1 << 24
"""Elements behind one pointer, at the most."""
_REGISTER = 16
"""Bytes of a register: originals with intrinsics also load the channels of a pixel that they do not use."""
_TALL = ("rows", "height", "h", "ny", "lines", "bottom", "y1")
_WIDE = ("cols", "width", "w", "nx", "right", "x1", "columns")
_FLAT = ("n", "count", "pixels", "len", "length", "size", "total", "npixels", "n_pixels", "samples")
_FEW = ("radius", "r", "rx", "ry", "taps", "half", "border", "passes", "iterations", "margin")
_SMALL = 40
"""What a size may be of the numbers of the source."""
_BITS = ("shift", "bits", "log2")
_CHANNELS = ("channels", "components", "bands")
_VALUES = (0, 1, 2, 3, 7, 8, 16, 64, 100, 127, 128, 200, 255, 256)


@dataclass(frozen=True, slots=True)
class Draw:
    """Values of the scalars, which pointers are null, and the path whose conditions and contract they meet."""

    scalars: Scalars
    null: frozenset[str]
    path: int | None


class Drawer:
    """Draws arguments for one summary.  `ranges` are for scalars whose names say too little; of `constants`, where they
    are given, scalars often have one."""

    def __init__(self, summary: Summary, ranges: Ranges | None = None, constants: Constants | None = None) -> None:
        self.summary = summary
        self.ranges = ranges or {}
        self.spare = False
        """Whether the original may read a little around its images: copies of structures, of which fields are used."""
        self.constants = constants
        self.pointers = [p for p in summary.function.params if p.pointer]
        names = {p.name for p in self.pointers}
        self.layouts = [[x for x in layouts_of(p) if x.array in names] for p in summary.paths]
        every = [d for layouts in self.layouts for x in layouts for d in x.dims]
        self.extents = {n for d in every for n in d.extent.names()}
        self.strides = {n for d in every if d.stride is not None for n in d.stride.names()} - self.extents
        divided = (a for d in every if d.stride is not None for a in d.stride.atoms().values() if isinstance(a, Div))
        self.parts = {n: int(c) for a in divided if (c := const_value(a.b)) for n in variables(a.a)}
        """Strides of which summaries speak in parts, such as elements of those in bytes: how many make one."""
        self.sizes = {n for factors in summary.function.sizes.values() for n in factors if isinstance(n, str)}
        self.flat = all(len(x.dims) == 1 for layouts in self.layouts for x in layouts)
        self.conditions = [path_condition(summary, i) for i in range(len(summary.paths))]
        asked = {name for path in summary.paths for e in path.conditions for name in _asked_for_null(e)}
        self.optional = [p.name for p in self.pointers if address_name(p.name) in asked]
        self.told: dict[str, set[int]] = defaultdict(set)
        """Numbers that conditions ask a parameter to be, which none would be by chance."""
        for condition in self.conditions:
            for name, number in _equal_numbers(condition):
                self.told[name].add(number)

    def draw(self, width: int, height: int, pad: int, seed: int, tries: int = 40) -> Draw | None:
        """A draw that meets the contract, the first of some tries; None if there is none."""
        rng = random.Random(seed)
        draws = (self.scalars(width, height, pad, rng) for _ in range(tries))
        return next((d for d in draws if d.path is not None), None)

    def scalars(self, width: int, height: int, pad: int, rng: random.Random, aligned: int = 1) -> Draw:
        """One draw; its path is None where the contract fails.  `pad`: elements between rows; `aligned`: strides are
        multiples of it."""
        scalars: Scalars = {}
        ends = self.summary.function.measured_ends
        for p in self.summary.function.params:
            if not p.pointer and p.name not in ends and (p.name not in self.strides or p.name in self.ranges):
                scalars[p.name] = self._scalar(p, width, height, rng)
        scalars |= self._ends(width, height, rng)
        free = sorted(self.strides - scalars.keys())
        scalars |= dict.fromkeys(free, 0)
        for _ in free:  # a plane's stride takes the row's
            for n in free:
                scalars[n] = max((row_length(x, n, scalars) for some in self.layouts for x in some), default=1)
        types = {p.name: p.type for p in self.summary.function.params}
        for n in free:  # a stride in bytes takes whole elements
            row = int(scalars[n]) + pad
            scalars[n] = _fitted((row + -row % aligned) * self.parts.get(n, 1), types[n])
        null = frozenset(n for n in self.optional if rng.random() < 0.3)
        return Draw(scalars, null, self._path(scalars, null))

    def _ends(self, width: int, height: int, rng: random.Random) -> Scalars:
        """The least and the greatest value of each array of which these are measured."""
        out: Scalars = {}
        for m in self.summary.function.measured:
            type_ = self.summary.function.arrays[m.array]
            low = _fitted(rng.choice((0, 0, 0, 1, 2, -1, -3)), type_)
            span = rng.choice((width, height, width // 2, height // 2, 1, 4))
            out |= {m.least: low, m.most: _fitted(low + max(span - 1, 0), type_)}
        return out

    def hold_measured(self, name: str, contents: Bytes, origin: int, scalars: Scalars) -> None:
        """Brings the contents of an array, `origin` elements before its pointer, between the ends that are measured of
        it, where they are."""
        for m in self.summary.function.measured:
            if m.array == name:
                places = slice((m.first + origin) % m.step, None, m.step)
                least, most = int(scalars[m.least]), int(scalars[m.most])
                hold_between(contents, self.summary.function.arrays[name], least, most, places)

    def _scalar(self, p: Param, width: int, height: int, rng: random.Random) -> int | float:
        name = p.name.lower()
        if p.name in self.ranges:
            low, high = self.ranges[p.name]
            return rng.uniform(low, high) if p.type.is_float() else rng.randint(low, high)
        if p.name in self.told and rng.random() < 0.8:
            return _fitted(rng.choice(sorted(self.told[p.name])), p.type)
        chosen = self._constant(p, rng) if self.constants is not None else None
        if chosen is not None:
            return chosen
        if p.type.is_float():
            return float(rng.choice((0.0, 1.0, 0.5, rng.random(), rng.random())))
        if p.type.is_bool():
            return rng.randint(0, 1)
        value = rng.choice(_VALUES)
        if name in _FEW:
            value = rng.randint(0, 4)
        elif name in _BITS:
            value = rng.randint(0, 7)
        elif name in _CHANNELS:
            value = rng.randint(1, 4)
        elif _is_called(name, _TALL) and (p.name in self.extents | self.sizes or name in _TALL):
            value = height
        elif _is_called(name, _WIDE) and (p.name in self.extents | self.sizes or name in _WIDE):
            value = width
        elif p.name in self.sizes and rng.random() < 0.8:
            value = width * height
        elif p.name in self.extents or name in _FLAT:
            value = width * height if self.flat or name in _FLAT else rng.choice((width, height))
        return _fitted(value, p.type)

    def _constant(self, p: Param, rng: random.Random) -> int | float | None:
        """Now and then a number of the source or an end of the type; a size takes small ones only."""
        assert self.constants is not None
        own, every = self.constants.of.get(p.name, ()), self.constants.every
        chance = rng.random()
        if p.type.is_bool():
            return None
        if p.name in self.extents | self.sizes | self.strides:
            small = [int(n) for n in own or every if 0 <= n <= _SMALL]
            return _fitted(rng.choice(small), p.type) if small and chance < 0.2 else None
        if own and chance < 0.6:
            pool: Sequence[int | float] = own
        elif every and chance < 0.75:
            pool = every
        elif chance < 0.85:
            pool = [v.item() for v in edges(p.type)]
        else:
            return None
        chosen = rng.choice(pool)
        if p.type.is_float():
            return float(np.array(chosen, numpy_type(p.type)))
        return _fitted(int(chosen), p.type) if math.isfinite(chosen) else None

    def _path(self, scalars: Scalars, null: frozenset[str]) -> int | None:
        addresses = {p.name: 0 if p.name in null else (i + 1) << 40 for i, p in enumerate(self.pointers)}
        for i in range(len(self.conditions)):
            if self._holds(i, scalars, addresses):
                return i
        return None

    def _holds(self, path: int, scalars: Scalars, addresses: Mapping[str, int]) -> bool:
        env: dict[str, object] = dict(scalars)
        env |= {address_name(n): np.uint64(a) for n, a in addresses.items()}
        try:
            return bool(evaluate_expr(self.conditions[path], env))
        except HalideError:
            return True  # a condition on the images' contents, which only the run decides

    def undefined(self, draw: Draw) -> bool:
        """Whether a container is used beyond its end, or what was never given a value, where any result is right."""
        never = [p for p in self.summary.paths if any(i.kind == "undefined" for i in p.contract)]
        if any(all(bool(evaluate_expr(c, dict(draw.scalars))) for c in p.conditions) for p in never):
            return True
        items = [i for p in self.summary.paths for i in p.contract if i.kind == "inside" and i.condition is not None]
        asked = [*self.summary.function.inside, *(i.condition for i in items if i.condition is not None)]
        return not all(bool(evaluate_expr(c, dict(draw.scalars))) for c in asked)

    def regions(self, draw: Draw) -> dict[str, tuple[int, int]]:
        """For each pointer the first element that belongs to it and the one past its last, counted from the pointer."""
        found: dict[str, tuple[int, int]] = {p.name: (0, 0) for p in self.pointers}
        chosen = range(len(self.layouts)) if draw.path is None else (draw.path,)
        for layout in (x for i in chosen for x in self.layouts[i]):
            low, high = corners_of(layout, draw.scalars)
            if low <= high:
                a, b = found[layout.array]
                found[layout.array] = (low, high + 1) if a == b else (min(a, low), max(b, high + 1))
        for name, factors in self.summary.function.sizes.items():
            if name in found:
                size = math.prod(self.extent(f, draw.scalars) for f in factors)
                found[name] = (min(found[name][0], 0), max(found[name][1], size))
        for name, size in self.summary.function.objects.items():  # in which no other memory lies
            if name not in draw.null:
                found[name] = (min(found[name][0], 0), max(found[name][1], size))
        return found

    def extent(self, factor: str | int, scalars: Scalars) -> int:
        """A factor of the number of elements behind a pointer."""
        if isinstance(factor, int):
            return factor
        known = self.summary.function.defined.get(factor)
        return int(scalars[factor]) if known is None else int(evaluate_expr(known, dict(scalars)))

    def arguments(self, draw: Draw, seed: int, front: bool = False) -> Arguments:
        """Memory for a draw, with random contents: exact where the contract holds, else ample."""
        rng = np.random.default_rng(seed)
        blocks = {}
        if any(high - low > MOST for low, high in self.regions(draw).values()):
            raise NoArguments(f"images are too large with {draw.scalars}")
        for p in self.pointers:
            low, high = self.regions(draw)[p.name]
            if draw.path is None:
                low, high = min(low, 0) - AMPLE, max(high, 0) + AMPLE
            size = p.type.bytes()
            if draw.path is not None and high > low and (self.summary.function.uses_registers or self.spare):
                low, high = low - _REGISTER // size, high + _REGISTER // size
            memory = Guarded((high - low) * size, front)
            fill(memory.bytes, p.type, rng)
            self.hold_measured(p.name, memory.bytes, -low, draw.scalars)
            address = 0 if p.name in draw.null else memory.address - low * size
            blocks[p.name] = Block(memory, address, p.type)
        for number, name in left_fields(self.summary.function).items():  # the memory of a field has its value
            held = np.array([draw.scalars[number]]).astype(numpy_type(blocks[name].type)).view(np.uint8)
            at = blocks[name].pointer - blocks[name].memory.address
            if at >= 0 and at + len(held) <= len(blocks[name].memory.bytes):
                blocks[name].memory.bytes[at : at + len(held)] = held
        return Arguments(dict(draw.scalars), blocks)

    def overlapping(self, draw: Draw, first: str, second: str, shift: int, seed: int) -> Arguments:
        """As `arguments`, with the second pointer `shift` elements (of the first) behind the first."""
        args = self.arguments(draw, seed)
        regions = self.regions(draw)
        sizes = {p.name: p.type.bytes() for p in self.pointers}
        spans = [abs(e) * sizes[n] for n in (first, second) for e in regions[n]]
        room = max(spans) + abs(shift) * sizes[first] + AMPLE
        room += -room % 16  # whole elements, of whichever type
        memory = Guarded(2 * room)
        fill(memory.bytes, args.blocks[first].type, np.random.default_rng(seed))
        middle = memory.address + room
        for n, address in ((first, middle), (second, middle + shift * sizes[first])):
            args.blocks[n] = Block(memory, address, args.blocks[n].type)
            self.hold_measured(n, memory.bytes, (address - memory.address) // sizes[n], draw.scalars)
        return args

    def spoiled(self, draw: Draw, rng: random.Random) -> Draw:
        """The draw with one scalar changed so that something usual of it does not hold."""
        scalars = dict(draw.scalars)
        ends = self.summary.function.measured_ends
        candidates = sorted(n for n in (self.extents | self.strides) & scalars.keys() - ends)
        if not candidates:
            return draw
        name = rng.choice(candidates)
        type_ = next(p.type for p in self.summary.function.params if p.name == name)
        value = int(scalars[name])
        scalars[name] = _fitted(rng.choice((0, 1, value - 1, value // 2, -1, -value)), type_)
        return Draw(scalars, draw.null, self._path(scalars, draw.null))


def _is_called(name: str, words: Iterable[str]) -> bool:
    """Whether a name is one of the words, or ends with one: `src_h` and `srcheight` do, and `width` not with `h`."""
    return any(name == w or name.endswith(f"_{w}" if len(w) < 3 else w) for w in words)


def _asked_for_null(condition: Expr) -> Iterable[str]:
    for n in post_order(condition):
        if isinstance(n, EQ | NE) and isinstance(n.a, Variable) and const_value(n.b) == 0:
            yield n.a.name


def _equal_numbers(condition: Expr) -> Iterable[tuple[str, int]]:
    for n in post_order(condition):
        if isinstance(n, EQ) and isinstance(n.a, Variable) and not n.a.type.is_float():
            number = const_value(n.b)
            if number is not None and abs(number) > _SMALL:
                yield n.a.name, int(number)


def _fitted(value: int, type_: Type) -> int:
    low, high = (0, (1 << type_.bits) - 1) if type_.is_uint() else (-(1 << type_.bits - 1), (1 << type_.bits - 1) - 1)
    return min(max(value, low), high)
