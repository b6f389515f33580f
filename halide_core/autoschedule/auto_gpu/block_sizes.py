"""How many threads blocks have, and how many bytes they share, as the compiler's own bounds have it.

Boxes of a long chain of stages come out larger for all blocks together than for any one of them, since the compiler
tells them without knowing how long images are."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from halide_core.errors import HalideError
from halide_core.gpu.scopes import inside
from halide_core.gpu.threads import block_extents, most
from halide_core.ir import stmt as st
from halide_core.ir.box import Interval
from halide_core.ir.expr import Expr, StringImm, Variable, const, const_value
from halide_core.ir.simplify import simplify, simplify_index
from halide_core.ir.stmt import THREAD_KINDS, ForKind, MemoryType
from halide_core.ir.structural import holds_effect, nodes, replace, substitution


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


def check_blocks(s: st.Stmt, values: Mapping[str, float], limits: Limits) -> None:
    """Raises HalideError, TooManyThreads for threads, where blocks of a kernel in the loops `s` would be larger than
    `limits` allow at sizes that have these `values`, nothing tells how large before the kernel starts, or something
    would have to be checked in it."""
    if isinstance(s, st.LetStmt):
        value = _number(s.value, values)
        values = {k: v for k, v in values.items() if k != s.name} if value is None else {**values, s.name: value}
    elif isinstance(s, st.For):
        if s.kind is ForKind.GPU_BLOCK:
            _check_kernel(s, values, limits)
            return
        first = _number(s.min, values)
        values = values if first is None else {**values, s.name: first}
    for x in st.bodies(s):
        check_blocks(x, values, limits)


def _check_kernel(s: st.For, values: Mapping[str, float], limits: Limits) -> None:
    for x in st.walk(s):
        for e in st.expressions(x):
            if holds_effect(e):
                # Bounds that were given, and do not show to be kept; the text names the Func.
                raise HalideError(" ".join(str(n.value) for n in nodes(e, StringImm)))
    name = s.name.split(".")[0]
    scope: dict[str, Interval] = {}
    node = _frame(s, {})
    while isinstance(node, st.For) and node.kind is ForKind.GPU_BLOCK:
        scope = inside(scope, node)
        node = node.body
    count = 1.0
    for extent in block_extents(node, scope)[1]:
        count *= _number(extent, values) or 1
    if count > limits.threads:
        raise TooManyThreads(name, int(count))
    largest, total = _shared(node, scope, values)
    if total > limits.shared:
        raise HalideError(f"{largest}: a block of {name} shares {total:.0f} bytes")


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


def _shared(s: st.Stmt, scope: dict[str, Interval], values: Mapping[str, float]) -> tuple[str, float]:
    """The largest of the Funcs that threads of a block share, and the bytes of all."""
    largest, most_bytes, total = "", 0.0, 0.0
    work: list[tuple[st.Stmt, dict[str, Interval]]] = [(s, scope)]
    while work:
        x, around = work.pop()
        if isinstance(x, st.For) and x.kind in THREAD_KINDS:
            continue
        if isinstance(x, st.For):
            around = inside(around, x)
        if isinstance(x, st.Realize) and x.memory in (MemoryType.Auto, MemoryType.GPUShared):
            bytes_ = float(sum(t.bytes() for t in x.types))
            for _, extent in x.bounds:
                bytes_ *= _number(most(extent, around, f"The size of {x.name}"), values) or 1
            total += bytes_
            largest, most_bytes = (x.name, bytes_) if bytes_ > most_bytes else (largest, most_bytes)
        work += [(y, around) for y in st.bodies(x)]
    return largest, total


def _number(e: Expr, values: Mapping[str, float]) -> float | None:
    """`e` as a number; None where it is none at these values."""
    def value(n: Expr) -> Expr | None:
        return const(values[n.name], n.type) if isinstance(n, Variable) and n.name in values else None

    found = const_value(simplify(replace(e, value)))
    return None if found is None else float(found)
