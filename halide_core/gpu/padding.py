"""Rows of shared arrays that are longer than what they hold, so that the threads of a warp do not meet in a bank.

    realize g over [x0, +16] by [y0, +17]:            realize g over [x0, +17] by [y0, +17]:
      gpu_thread y, x: f(x, y) = g(x, 2*y)      ->      gpu_thread y, x: f(x, y) = g(x, 2*y)

Word n of shared memory lies in bank n % 32, of which each serves one word at a time: two rows of 16 threads that read
every other row of 16 words would all meet.  Which padding is best is found by looking at what the threads of a block
access, the loops around standing at their first iterations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from halide_core.errors import HalideError
from halide_core.interp.expr import evaluate
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import CallType, Expr, const, const_value
from halide_core.ir.ranges import upper_bound
from halide_core.ir.simplify import simplify_index
from halide_core.ir.stmt import THREAD_KINDS, ForKind, MemoryType
from halide_core.ir.structural import key, post_order, variables

_BANKS, _WARP, _WORD = 32, 32, 4
MOST_PADDED = 9
"""Elements by which a row is made longer, at the most."""
_BYTES = 40 << 10
"""Of the arrays of a block, where padding must not cost blocks that run at a time."""
_LONG = 1 << 14
"""What the extents of images are taken to be."""


def pad_shared(s: st.Stmt) -> st.Stmt:
    """`s`, in coordinates, with storage that threads share in longer rows where that spares conflicts."""
    if isinstance(s, st.For) and s.kind is ForKind.GPU_BLOCK:
        return _Block(s).padded(s)
    parts = {id(x): pad_shared(x) for x in st.bodies(s)}
    if all(parts[id(x)] is x for x in st.bodies(s)):
        return s
    return st.rebuild(s, lambda x: parts[id(x)], lambda e: e)


@dataclass(frozen=True, slots=True)
class _Access:
    """The coordinates of an access, with the lets and the loops over threads around it, outermost first."""

    args: tuple[Expr, ...]
    lets: tuple[tuple[str, Expr], ...]
    threads: tuple[st.For, ...]


class _Block:
    """What the blocks of one nest share."""

    def __init__(self, s: st.For) -> None:
        self.accesses: dict[str, list[_Access]] = {}
        self.threads = [1, 1, 1]
        # Arrays whose rows vectors must stay aligned in.
        self.by_vectors: set[str] = set()
        self._collect(s, (), ())
        self.bytes = sum(
            _size(x) or _BYTES for x in st.walk(s) if isinstance(x, st.Realize) and _is_shared(x)
        )

    def _collect(
        self, s: st.Stmt, lets: tuple[tuple[str, Expr], ...], threads: tuple[st.For, ...]
    ) -> None:
        for e in st.expressions(s):
            for n in post_order(e):
                if isinstance(n, ir.Call) and n.call_type is CallType.HALIDE:
                    self.accesses.setdefault(n.name, []).append(_Access(n.args, lets, threads))
        match s:
            case st.Provide():
                self.accesses.setdefault(s.name, []).append(_Access(s.args, lets, threads))
            case st.LetStmt():
                lets = (*lets, (s.name, s.value))
            case st.For() if s.kind in THREAD_KINDS:
                most = upper_bound(s.extent, {})
                d = _height(s) - 1
                self.threads[d] = max(self.threads[d], int(most) if most is not None else _WARP)
                threads = (*threads, s)
            case st.For():
                if s.kind is ForKind.VECTORIZED:
                    self.by_vectors |= _accessed(s)
                lets = (*lets, (s.name, s.min))
        for x in st.bodies(s):
            self._collect(x, lets, threads)

    def padded(self, s: st.Stmt) -> st.Stmt:
        """`s` with longer rows."""
        if isinstance(s, st.For) and s.kind in THREAD_KINDS:
            return s
        if isinstance(s, st.Realize) and _is_shared(s):
            s = self._longer(s)
        parts = {id(x): self.padded(x) for x in st.bodies(s)}
        if all(parts[id(x)] is x for x in st.bodies(s)):
            return s
        return st.rebuild(s, lambda x: parts[id(x)], lambda e: e)

    def _longer(self, s: st.Realize) -> st.Realize:
        extents = [const_value(simplify_index(e)) for _, e in s.bounds]
        order = s.order or tuple(range(len(s.bounds)))
        known = [int(e) for e in extents if e is not None]
        if len(known) != len(extents) or len(known) < 2 or len(s.types) != 1 or min(known) < 1:
            return s
        if s.name in self.by_vectors:
            return s
        # The first dimension that is no single element: what follows it is made of its strides.
        first = next((d for d in order if known[d] > 1), order[0])
        places = [p for a in self._distinct(s.name) for p in self._places(a, len(known))]
        if not places or first == order[-1]:
            return s
        size = s.types[0].bytes()
        costs: dict[int, int] = {}
        for more in range(MOST_PADDED):
            longer = [e + more if d == first else e for d, e in enumerate(known)]
            if more and self.bytes + more * int(np.prod(known)) // known[first] * size > _BYTES:
                break
            costs[more] = sum(_conflicts(p, longer, order, size) for p in places)
        best = min(costs, key=lambda more: (costs[more], more))
        if not best:
            return s
        self.bytes += best * int(np.prod(known)) // known[first] * size
        low, extent = s.bounds[first]
        bounds = list(s.bounds)
        bounds[first] = low, const(known[first] + best, extent.type)
        return replace(s, bounds=tuple(bounds))

    def _distinct(self, name: str) -> Iterator[_Access]:
        seen: set[tuple[object, ...]] = set()
        for a in self.accesses.get(name, ()):
            number = (*map(key, a.args), *(t.name for t in a.threads))
            if a.threads and number not in seen:
                seen.add(number)
                yield a

    def _places(self, a: _Access, dimensions: int) -> Iterator[_Places]:
        """The coordinates that the threads of a block access."""
        x, y, z = self.threads
        number = np.arange(x * y * z)
        lanes = (number % x, number // x % y, number // (x * y))
        env: dict[str, np.ndarray] = {}
        active = np.ones(len(number), bool)
        try:
            for t in a.threads:
                here = lanes[_height(t) - 1]
                env[t.name] = _value(t.min, a.lets, env) + here
                active = active & (here < _value(t.extent, a.lets, env))
            coordinates = [np.broadcast_to(_value(e, a.lets, env), len(number)) for e in a.args]
        except HalideError:
            return  # data say where
        found = np.stack(coordinates, axis=1).astype(np.int64)[active]
        if len(found) and found.shape[1] == dimensions:
            yield _Places(found, number[active] // _WARP)


@dataclass(frozen=True, slots=True)
class _Places:
    """The coordinates that threads access, a row for each, and the warps of these threads."""

    coordinates: np.ndarray
    warps: np.ndarray


class _Numbers(dict[str, object]):
    """Values of variables; those that nothing is known of are sizes, or at their start."""

    def __missing__(self, name: str) -> object:
        return _LONG if ".extent." in name else 0


def _value(e: Expr, lets: tuple[tuple[str, Expr], ...], env: Mapping[str, np.ndarray]) -> np.ndarray:
    """`e` where loops stand at their first iterations.  Raises HalideError where it depends on data."""
    wanted = variables(e)
    values = _Numbers(env)
    needed: list[tuple[str, Expr]] = []
    for name, value in reversed(lets):
        if name in wanted and name not in env:
            needed.append((name, value))
            wanted = wanted | variables(value)
    for n in wanted:
        values.setdefault(n, values[n])
    for name, value in reversed(needed):
        values[name] = evaluate(value, values)
    return evaluate(e, values)


def _conflicts(places: _Places, extents: list[int], order: tuple[int, ...], size: int) -> int:
    """Turns beyond those that as many bytes take, for one access of each warp to an array of these extents."""
    stride, index = 1, np.zeros(len(places.warps), np.int64)
    for d in order:
        along = places.coordinates[:, d]
        index += (along - along.min()) * stride
        stride *= extents[d]
    first = index * size // _WORD
    words = np.unique(np.concatenate([(places.warps << 32) + first + k for k in range(max(size // _WORD, 1))]))
    banks, turns = np.unique((words >> 32) * _BANKS + words % _BANKS, return_counts=True)
    most = np.zeros(int(places.warps.max()) + 1, np.int64)
    np.maximum.at(most, banks // _BANKS, turns)
    return int(np.maximum(most - max(1, size // _WORD), 0).sum())


def _accessed(s: st.Stmt) -> set[str]:
    """The Funcs that `s` uses or computes."""
    out = {x.name for x in st.walk(s) if isinstance(x, st.Provide)}
    calls = (n for x in st.walk(s) for e in st.expressions(x) for n in post_order(e) if isinstance(n, ir.Call))
    return out | {n.name for n in calls if n.call_type is CallType.HALIDE}


def _is_shared(s: st.Realize) -> bool:
    """Whether it lies around loops over threads, in memory of the block; lanes may have elements of their own."""
    inner = [x for x in st.walk(s.body) if isinstance(x, st.For) and x.kind in THREAD_KINDS]
    lanes = any(x.kind is ForKind.GPU_LANE for x in inner)
    return bool(inner) and not lanes and s.memory in (MemoryType.Auto, MemoryType.GPUShared)


def _size(s: st.Realize) -> int | None:
    """Bytes, where they are known."""
    total = sum(t.bytes() for t in s.types)
    for _, extent in s.bounds:
        value = upper_bound(extent, {})
        if value is None:
            return None
        total *= max(int(value), 0)
    return total


def _height(s: st.Stmt) -> int:
    """How many loops over threads are nested in `s`."""
    inner = max((_height(x) for x in st.bodies(s)), default=0)
    return inner + (isinstance(s, st.For) and s.kind in THREAD_KINDS)
