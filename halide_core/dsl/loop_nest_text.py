"""The loops of a pipeline as print_loop_nest shows them, in Halide's notation.

produce blur:
  parallel y.yo:
    for y.yi in [0, 7]:
      vectorized x.x in [0, 3]:
        blur(...) = ..."""

from __future__ import annotations

from halide_core.function import Definition, Function, Fuse, Once, Split
from halide_core.ir import stmt as st
from halide_core.ir.expr import Expr, Min, const_value
from halide_core.passes.loop_nest import stage_variable


def loop_nest_text(s: st.Stmt, functions: list[Function], outputs: list[Function]) -> str:
    """The loops of `s`, what schedule_functions makes of `functions`, one a line.

    A loop is named by what it was split from: x.xo is loop xo of x.  Loops that run once on the host are left out, and
    ends are given where both are constant."""
    return "\n".join(_Writer(functions, outputs).lines(s)) + "\n"


class _Writer:
    def __init__(self, functions: list[Function], outputs: list[Function]) -> None:
        self.outputs = {f.name for f in outputs}
        self.stored_apart = {f.name for f in functions if f.compute is not None and f.store != f.compute}
        # By stage: the names of the loops of its definition and of its specializations.
        self.named: dict[str, list[dict[str, str]]] = {}
        for f in functions:
            for stage, d in enumerate(f.definitions()):
                self.named[stage_variable(f, stage, "")] = [_loop_names(f, stage, x) for x in _with_specializations(d)]
        # Those of the loops around.
        self.names: dict[str, str] = {}

    def lines(self, s: st.Stmt) -> list[str]:
        match s:
            case st.Block():
                return self.block(s)
            case st.Produce():
                return [f"produce {_plain(s.name)}:", *_indented(self.lines(s.body))]
            case st.Realize() if s.name in self.stored_apart:
                return [f"store {_plain(s.name)}:", *_indented(self.lines(s.body))]
            case st.For():
                return self.loop(s)
            case st.Provide() | st.ExternCall(body=None):
                return [f"{_plain(s.name)}(...) = ..."]
        return [line for body in st.bodies(s) for line in self.lines(body)]

    def block(self, s: st.Block) -> list[str]:
        """What comes after the production of a Func that is no output consumes it."""
        out: list[str] = []
        for k, part in enumerate(s.stmts):
            out += self.lines(part)
            names = _produced(part)
            rest = s.stmts[k + 1 :]
            if names and rest and not self.outputs.intersection(names):
                inner = self.lines(st.block(*rest))
                for name in reversed(names):
                    inner = [f"consume {_plain(name)}:", *_indented(inner)]
                return out + inner
        return out

    def loop(self, s: st.For) -> list[str]:
        outer = self.names
        if s.name not in outer:
            stage = s.name[: s.name.rindex(".") + 1]
            loops = {x.name for x in st.walk(s) if isinstance(x, st.For) and x.name.startswith(stage)}
            choices = self.named.get(stage, [])
            self.names = {**outer, **next((names for names in choices if set(names) >= loops), {})}
        inner = self.lines(s.body)
        once = const_value(s.extent) == 1 and s.kind not in st.GPU_KINDS
        out = inner if once else [self.title(s), *_indented(inner)]
        self.names = outer
        return out

    def title(self, s: st.For) -> str:
        name = self.names.get(s.name, s.name)
        if len(_stages(s.body)) > 1:
            name = f"fused.{name}"
        low, extent = const_value(s.min), const_value(_whole(s.extent))
        ends = "" if low is None or extent is None else f" in [{low}, {low + extent - 1}]"
        device = "<Default_GPU>" if s.kind in st.GPU_KINDS else ""
        return f"{s.kind.value} {name}{ends}{device}:"


def _with_specializations(d: Definition) -> list[Definition]:
    return [d, *(x for s in d.schedule.specializations for x in _with_specializations(s.definition))]


def _loop_names(f: Function, stage: int, d: Definition) -> dict[str, str]:
    """What each loop of `d` is called, the loop that it was split from first."""
    paths: dict[str, str] = {}
    for s in d.schedule.splits:
        if isinstance(s, Once):
            paths[s.var] = f"__outermost.{_plain(s.var)}"
            continue
        old = s.inner if isinstance(s, Fuse) else s.old
        whole = paths.get(old, _plain(old))
        new = (s.outer, s.inner) if isinstance(s, Split) else (s.fused if isinstance(s, Fuse) else s.new,)
        # Loops that vectorize and unroll make have no name of the user's.
        paths |= {n: f"{whole}.{'v' if n.startswith(old + '$') else _plain(n)}" for n in new}
    return {stage_variable(f, stage, dim.var): paths.get(dim.var, _plain(dim.var)) for dim in d.schedule.dims}


def _plain(name: str) -> str:
    """Without what tells Funcs and variables of one name apart."""
    return name.partition("$")[0]


def _indented(lines: list[str]) -> list[str]:
    return ["  " + line for line in lines]


def _produced(s: st.Stmt) -> list[str]:
    """The Funcs that `s` produces together, outermost first."""
    out: list[str] = []
    while isinstance(s, st.Produce):
        out.append(s.name)
        s = s.body
    return out


def _whole(extent: Expr) -> Expr:
    """The extent of a block that the last one may fall short of."""
    if not isinstance(extent, Min):
        return extent
    return next((e for e in (extent.a, extent.b) if const_value(e) is not None), extent)


def _stages(s: st.Stmt) -> set[str]:
    """The Funcs that `s` provides in its own loops, not those produced inside of them."""
    out: set[str] = set()
    work = [s]
    while work:
        x = work.pop()
        if isinstance(x, st.Provide):
            out.add(x.name)
        if not isinstance(x, st.Produce):
            work.extend(st.bodies(x))
    return out
