"""Where arrays lie in the memory that the threads of a block share.

    allocate g[100]:                       g at 0, h at 400, k at 0
      produce g
      allocate h[50]:
        produce h from g              ->
        allocate k[80]:
          produce k from h
          consume k

Arrays of which one is used for the last time before the other is used first share bytes.  Those of constant size come
first, the greatest one first, each as low as there is room; arrays whose size is known only when the kernel starts
follow, in slots for several of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from halide_core.gpu.kernel import ALIGNMENT, Leaf, Shared
from halide_core.gpu.scopes import loaded, renamed, stored
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I64, Expr, const, const_value
from halide_core.ir.simplify import simplify_index
from halide_core.ir.stmt import MemoryType

# Bytes of a word of each bank, and by which arrays of a multiple of these are kept apart.
_BANKS, APART = 128, 32


@dataclass(slots=True)
class Layout:
    """Where shared arrays lie: `size` bytes (int64) in all, which two arrays have bytes in common, and what arrays were
    called that have other names now."""

    arrays: list[Shared] = field(default_factory=list)
    size: Expr = field(default_factory=lambda: const(0, I64))
    common: set[tuple[str, str]] = field(default_factory=set)
    origins: dict[str, str] = field(default_factory=dict)


def lay_out_shared(s: st.Stmt) -> tuple[st.Stmt, Layout]:
    """`s` without Allocates of shared memory, and where their arrays lie."""
    lives = _Lives()
    s = lives.visit(s)
    return s, _placed(lives)


class _Lives:
    """When each array is used first and last, counting what the threads do in turn."""

    def __init__(self) -> None:
        self.time = 0
        self.sizes: dict[str, st.Allocate] = {}
        self.first: dict[str, int] = {}
        self.last: dict[str, int] = {}
        # Of copies, what they are copies of.
        self.origins: dict[str, str] = {}

    def visit(self, s: st.Stmt) -> st.Stmt:
        match s:
            case Leaf():
                self.use(_used(s.body).union(*map(loaded, s.masks)))
                return s
            case st.Allocate(memory=MemoryType.GPUShared):
                return self.allocate(s)
            case st.For():
                self.use(loaded(s.min) | loaded(s.extent))
                start, outside = self.time, frozenset(self.sizes)
                body = self.visit(s.body)
                for n in outside:
                    # What is used in one iteration must live through the others.
                    if n in self.last and self.last[n] > start:
                        self.first[n], self.last[n] = min(self.first[n], start), self.time
                return replace(s, body=body)
        for e in st.expressions(s):
            self.use(loaded(e))
        return st.rebuild(s, self.visit, lambda e: e)

    def use(self, names: set[str]) -> None:
        self.time += 1
        for n in names & self.sizes.keys():
            self.first.setdefault(n, self.time)
            self.last[n] = self.time

    def allocate(self, s: st.Allocate) -> st.Stmt:
        if s.name in self.sizes:
            # Another copy of one piece of code.
            new = f"{s.name}.{len(self.sizes)}"
            self.origins[new] = s.name
            s = replace(s, name=new, body=renamed(s.body, s.name, new))
        self.sizes[s.name] = s
        return self.visit(s.body)


def _used(s: st.Stmt) -> set[str]:
    out = stored(s)
    for x in st.walk(s):
        for e in st.expressions(x):
            out |= loaded(e)
    return out


def _placed(lives: _Lives) -> Layout:
    out = Layout(origins=lives.origins)
    fixed: list[tuple[str, int]] = []
    open_: list[str] = []
    for name, a in lives.sizes.items():
        if name not in lives.first:
            continue
        size = const_value(a.size)
        if size is None:
            open_.append(name)
        else:
            bytes_ = -(-int(size) * a.type.bytes() // ALIGNMENT) * ALIGNMENT
            # Threads that choose between arrays of one size must not all meet in the same banks.
            meeting = bytes_ > 0 and bytes_ % _BANKS == 0 and len(lives.sizes) > 1
            fixed.append((name, bytes_ + APART * meeting))

    def meet(a: str, b: str) -> bool:
        return lives.first[a] <= lives.last[b] and lives.first[b] <= lives.last[a]

    ranges: dict[str, tuple[int, int]] = {}
    for name, size in sorted(fixed, key=lambda x: -x[1]):
        taken = sorted(r for n, r in ranges.items() if meet(n, name))
        start = 0
        for low, high in taken:
            if start + size <= low:
                break
            start = max(start, high)
        ranges[name] = (start, start + size)
        out.arrays.append(_shared(lives.sizes[name], const(start, I64)))
    for name, (low, high) in ranges.items():
        out.common |= {(name, n) for n, (other, top) in ranges.items() if name != n and low < top and other < high}
    end: Expr = const(max((high for _, high in ranges.values()), default=0), I64)
    slots: list[list[str]] = []
    for name in open_:
        slot = next((s for s in slots if not any(meet(name, o) for o in s)), None)
        if slot is None:
            slots.append([name])
        else:
            out.common |= {pair for o in slot for pair in ((o, name), (name, o))}
            slot.append(name)
    for slot in slots:
        most: Expr = const(0, I64)
        for name in slot:
            a = lives.sizes[name]
            needed = a.size * const(a.type.bytes(), I64)
            most = ir.Max(I64, most, (needed + (ALIGNMENT - 1)) / ALIGNMENT * ALIGNMENT)
            out.arrays.append(_shared(a, end))
        end = simplify_index(end + most)
    out.size = end
    return out


def _shared(a: st.Allocate, offset: Expr) -> Shared:
    return Shared(a.name, a.type, a.size, offset)
