"""Arrays whose contents are known when code is made: they go into the kernels' module and need no copies.

    kernel(f!, source, weights)        ->   .const weights = {1, 2, 1}
                                            kernel(f!, source)

What all threads read at one place at a time lies in constant memory, which has one element for a warp at a time; where
the place is known too, the element stands in the instruction. What threads read each for itself lies in global
memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from halide_core.device_limits import CONSTANT_BYTES
from halide_core.gpu.kernel import THREAD_NAMES, Table
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import Expr
from halide_core.ir.named_calls import is_shuffle
from halide_core.ir.structural import nodes, variables
from halide_core.ir.types import Type

# Bytes of a table that still go into the text of the kernels.
_MOST = 1 << 16


@dataclass(slots=True)
class Tables:
    """The tables of all kernels of a module; `contents` has the bytes of arrays by name."""

    contents: Mapping[str, bytes]
    constant: dict[str, int] = field(default_factory=dict)
    """Bytes of those in constant memory."""

    def of_kernel(self, body: st.Stmt, arrays: Mapping[str, Type], written: frozenset[str]) -> tuple[Table, ...]:
        """Which of a kernel's arrays are tables."""
        known = [n for n in arrays if n in self.contents and n not in written and len(self.contents[n]) <= _MOST]
        apart = read_apart(body) if known else set()
        return tuple(
            Table(n, arrays[n], self.contents[n], n not in apart and self._fits(n)) for n in known if self.contents[n]
        )

    def _fits(self, name: str) -> bool:
        others = sum(n for other, n in self.constant.items() if other != name)
        if others + _rounded(len(self.contents[name])) > CONSTANT_BYTES:
            return False
        self.constant[name] = _rounded(len(self.contents[name]))
        return True


def read_apart(body: st.Stmt) -> set[str]:
    """The arrays of which threads may read several elements at a time."""
    out: set[str] = set()

    def visit(s: st.Stmt, differing: frozenset[str]) -> None:
        for e in st.expressions(s):
            own = differing | {n.name for n in nodes(e, ir.Let)}
            out.update(n.name for n in nodes(e, ir.Load) if _differs(n.index, own))
        match s:
            case st.LetStmt() if _differs(s.value, differing):
                differing |= {s.name}
            case st.For() if _differs(s.min, differing):
                differing |= {s.name}
        for x in st.bodies(s):
            visit(x, differing)

    visit(body, THREAD_NAMES)
    return out


def _differs(e: Expr, differing: frozenset[str]) -> bool:
    """Whether threads may have different values of `e`."""
    return bool(variables(e) & differing) or any(map(is_shuffle, nodes(e, ir.Call)))


def _rounded(size: int) -> int:
    return -(-size // 16) * 16
