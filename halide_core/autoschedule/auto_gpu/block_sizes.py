"""How many threads blocks have, and how many bytes they share, as the compiler's own bounds and its code have it.

Boxes of a long chain of stages come out larger for all blocks together than for any one of them, since the compiler
tells them without knowing how long images are, and larger in the code than in the loops."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from halide_core.errors import HalideError
from halide_core.gpu.kernel import ALIGNMENT, Kernel
from halide_core.gpu.padding import MOST_PADDED
from halide_core.gpu.scopes import inside
from halide_core.gpu.shared import APART
from halide_core.gpu.threads import block_extents, most
from halide_core.ir import stmt as st
from halide_core.ir.box import Interval
from halide_core.ir.expr import Expr, StringImm, Variable, const, const_value
from halide_core.ir.ranges import upper_bound
from halide_core.ir.simplify import simplify, simplify_index
from halide_core.ir.stmt import THREAD_KINDS, ForKind, MemoryType
from halide_core.ir.structural import holds_effect, nodes, replace, substitution

_MOST_WRITTEN = 64
"""Iterations of a loop of a thread: where coordinates are clamped the compiler would write out an image's."""


class TooManyThreads(HalideError):
    """A block would have more threads than a device allows.  `kernel`: the Func whose loops the blocks are."""

    def __init__(self, kernel: str, count: int) -> None:
        super().__init__(f"{kernel}: a block has {count} threads")
        self.kernel = kernel


@dataclass(frozen=True, slots=True)
class Limits:
    """Of a block: threads, and bytes of shared memory."""

    threads: int
    shared: int


def check_written(s: st.Stmt) -> None:
    """Raises HalideError where a loop in `s`, whose extents are bounded, would be written out that may be long."""
    for x in st.walk(s):
        if isinstance(x, st.For) and x.kind is ForKind.UNROLLED:
            high = upper_bound(x.extent, {})
            if high is None or high > _MOST_WRITTEN:
                raise HalideError(f"{x.name}: a thread would write out iterations without a bound")


def check_blocks(s: st.Stmt, values: Mapping[str, float], limits: Limits, padded: bool = False) -> bool:
    """Whether blocks of the kernels in the loops `s` are sure to share no more than `limits` allow; `padded`: rows have
    the lengths there that they are stored in.

    Raises HalideError, TooManyThreads for threads, where they would have too many threads at sizes that have these
    `values`, nothing tells how many before a kernel starts, or something would have to be checked in it."""
    if isinstance(s, st.LetStmt):
        values = _with_value(s, values)
    elif isinstance(s, st.For):
        if s.kind is ForKind.GPU_BLOCK:
            return _check_kernel(s, values, limits, padded)
        values = _with_first(s, values)
    return all([check_blocks(x, values, limits, padded) for x in st.bodies(s)])


def check_launches(
    s: st.Stmt, kernels: Mapping[str, Kernel], values: Mapping[str, float], limits: Limits
) -> None:
    """Raises HalideError, TooManyThreads for threads, where a launch in the code `s` would have larger blocks than
    `limits` allow at sizes that have these `values`.  `kernels`: those that are launched, by name."""
    if isinstance(s, st.LetStmt):
        values = _with_value(s, values)
    elif isinstance(s, st.For):
        values = _with_first(s, values)
    elif isinstance(s, st.Launch):
        _check_launch(s, kernels[s.kernel], values, limits)
    for x in st.bodies(s):
        check_launches(x, kernels, values, limits)


def _check_launch(s: st.Launch, kernel: Kernel, values: Mapping[str, float], limits: Limits) -> None:
    count = 1.0
    for extent in s.threads:
        count *= _number(extent, values) or 1
    if count > limits.threads:
        raise TooManyThreads(_func_of(s.kernel), int(count))
    total = _number(s.shared, values) or 0
    if total > limits.shared:
        largest = max(kernel.shared, key=lambda a: (_number(a.size, values) or 0) * a.type.bytes())
        raise HalideError(f"{largest.name}: a block of {_func_of(s.kernel)} shares {total:.0f} bytes")


def _func_of(kernel: str) -> str:
    """The Func whose loops a kernel is made of."""
    return re.sub(r"_s\d+_\d+$", "", kernel.removeprefix("kernel_"))


def _with_value(s: st.LetStmt, values: Mapping[str, float]) -> Mapping[str, float]:
    value = _number(s.value, values)
    return {k: v for k, v in values.items() if k != s.name} if value is None else {**values, s.name: value}


def _with_first(s: st.For, values: Mapping[str, float]) -> Mapping[str, float]:
    first = _number(s.min, values)
    return values if first is None else {**values, s.name: first}


def _check_kernel(s: st.For, values: Mapping[str, float], limits: Limits, padded: bool) -> bool:
    for x in st.walk(s):
        for e in st.expressions(x):
            if holds_effect(e):
                # Bounds that were given, and do not show to be kept; the text names the Func.
                raise HalideError(" ".join(str(n.value) for n in nodes(e, StringImm)))
    scope: dict[str, Interval] = {}
    node = _frame(s, {})
    while isinstance(node, st.For) and node.kind is ForKind.GPU_BLOCK:
        scope = inside(scope, node)
        node = node.body
    count = 1.0
    for extent in block_extents(node, scope)[1]:
        count *= _number(extent, values) or 1
    if count > limits.threads:
        raise TooManyThreads(s.name.split(".")[0], int(count))
    shared = _most_shared(node, scope, values, padded)
    return shared is not None and shared <= limits.shared


def _frame(s: st.Stmt, lets: Mapping[str, Expr]) -> st.Stmt:
    """The loops and storage of `s`, with the values of lets in their places: ends of a box say how large it is only
    together."""
    put = substitution(lets)

    def expanded(e: Expr) -> Expr:
        return simplify_index(put(e))

    match s:
        case st.LetStmt():
            return _frame(s.body, {**lets, s.name: expanded(s.value)})
        case st.For():
            inner = {n: e for n, e in lets.items() if n != s.name}
            return st.For(s.name, expanded(s.min), expanded(s.extent), s.kind, _frame(s.body, inner))
        case st.Realize():
            bounds = tuple((expanded(a), expanded(b)) for a, b in s.bounds)
            return dataclasses.replace(s, bounds=bounds, body=_frame(s.body, lets))
    parts = [_frame(x, lets) for x in st.bodies(s)]
    return parts[0] if len(parts) == 1 else st.block(*parts)


def _most_shared(
    s: st.Stmt, scope: dict[str, Interval], values: Mapping[str, float], padded: bool
) -> int | None:
    """No less than the bytes that threads of a block share: rows may be made longer, arrays begin at multiples and lie
    apart; None where the code alone tells.  Of loops that are `padded` also where sizes are no constants: as large as
    they are at these `values`, and as much again, for the code may say more."""
    total = 0.0
    work: list[tuple[st.Stmt, dict[str, Interval]]] = [(s, scope)]
    while work:
        x, around = work.pop()
        if isinstance(x, st.For) and x.kind in THREAD_KINDS:
            continue
        if isinstance(x, st.For):
            around = inside(around, x)
        if isinstance(x, st.Realize) and x.memory in (MemoryType.Auto, MemoryType.GPUShared):
            ends = [most(e, around, f"The size of {x.name}") for _, e in x.bounds]
            fixed = all(const_value(e) is not None for e in ends)
            found = [_number(e, values if padded else {}) for e in ends]
            if any(e is None for e in found):
                return None
            sizes = [e for e in found if e is not None]
            if sizes and not padded:
                # Whichever dimension rows are.
                sizes[sizes.index(min(sizes))] += MOST_PADDED
            again = 1 if fixed else 2
            total += sum(again * math.prod(sizes) * t.bytes() + ALIGNMENT + APART for t in x.types)
        work += [(y, around) for y in st.bodies(x)]
    return int(total)


def _number(e: Expr, values: Mapping[str, float]) -> float | None:
    """`e` as a number; None where it is none at these values."""
    def value(n: Expr) -> Expr | None:
        return const(values[n.name], n.type) if isinstance(n, Variable) and n.name in values else None

    found = const_value(simplify(replace(e, value)))
    return None if found is None else float(found)
