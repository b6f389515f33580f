"""Which nests of loops a device can run: the checks of schedules, in the words of Halide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from halide_core.errors import HalideError
from halide_core.function import Definition, Function
from halide_core.ir import stmt as st
from halide_core.ir.stmt import GPU_KINDS, THREAD_KINDS, ForKind
from halide_core.target import Target

# Dimensions of a grid of blocks, and of a block.
_MOST = 3


def runs_on_device(functions: Iterable[Function]) -> Function | None:
    """The first Function with a loop that runs on a device."""
    return next((f for f in functions if any(map(_has_device_loop, f.definitions()))), None)


def _has_device_loop(d: Definition) -> bool:
    schedule = d.schedule
    if any(x.kind in GPU_KINDS for x in schedule.dims):
        return True
    return any(_has_device_loop(s.definition) for s in schedule.specializations)


def check_target(functions: Iterable[Function], target: Target) -> bool:
    """Whether any Function runs on a device.  Raises HalideError where the target has none that code is made for."""
    found = runs_on_device(functions)
    if found is None:
        return False
    if not target.has_feature("cuda"):
        raise HalideError(
            f"Schedule for Func {found.name} requires <Default_GPU> but no compatible target feature is enabled in "
            f"target {target}; add the feature cuda, as in host-cuda"
        )
    return True


def check_nests(s: st.Stmt) -> None:
    """Raises HalideError for loops that no device runs: threads outside of blocks or inside of lanes, anything between
    blocks, more than three of a kind."""
    _Checker(s).visit(s, ())


class _Checker:
    def __init__(self, whole: st.Stmt) -> None:
        self.whole = whole

    def fail(self, text: str, around: tuple[st.Stmt, ...]) -> HalideError:
        outer = next((x for x in around if isinstance(x, st.Produce)), self.whole)
        return HalideError(f"{text} The loop nest is:\n" + "\n".join(_lines(outer, "")))

    def visit(self, s: st.Stmt, around: tuple[st.Stmt, ...]) -> None:
        if isinstance(s, st.For):
            self.loop(s, around)
        elif isinstance(s, st.Realize):
            self.between(s, f"store_at location for {s.name}", around)
        elif isinstance(s, st.ExternCall) and any(_kind(x) in GPU_KINDS for x in around):
            raise HalideError(f"Func {s.name} is an external stage, which cannot be computed within loops of a device")
        for x in st.bodies(s):
            self.visit(x, (*around, s))

    def loop(self, s: st.For, around: tuple[st.Stmt, ...]) -> None:
        blocks = [x for x in around if _kind(x) is ForKind.GPU_BLOCK]
        threads = [x for x in around if _kind(x) is ForKind.GPU_THREAD]
        lanes = [x for x in around if isinstance(x, st.For) and x.kind is ForKind.GPU_LANE]
        here = (*around, s)
        if s.kind is ForKind.GPU_BLOCK:
            if threads or lanes:
                raise self.fail(f"GPU block loop over {s.name} is inside a GPU thread loop.", here)
            if len(blocks) >= _MOST:
                raise self.fail(
                    f"GPU block loop over {s.name} is inside three other GPU block loops. The maximum number of nested "
                    "GPU block loops is 3.",
                    here,
                )
            return
        if s.kind in THREAD_KINDS:
            what = "thread" if s.kind is ForKind.GPU_THREAD else "lane"
            if not blocks:
                raise self.fail(f"GPU {what} loop over {s.name} must be inside a GPU block loop.", here)
            if lanes:
                raise self.fail(
                    f"GPU {what} loop over {s.name} is inside a loop over GPU lanes. GPU thread loops must be outside "
                    "any GPU lane loop.",
                    here,
                )
            if len(threads) >= _MOST:
                raise self.fail(
                    f"GPU {what} loop over {s.name} is inside three other GPU thread loops. The maximum number of "
                    "nested GPU thread loops is 3.",
                    here,
                )
        if s.kind is ForKind.PARALLEL and blocks:
            raise self.fail(f"Parallel loop over {s.name} is inside a GPU block loop; it can be one of threads.", here)
        if s.kind is ForKind.VECTORIZED and any(_kind(x) in GPU_KINDS for x in st.walk(s.body)):
            raise self.fail(f"Vectorized loop over {s.name} is outside of a loop of a device; reorder it inside.", here)
        self.between(s, f"for loop over {s.name}", around)

    def between(self, s: st.Stmt, what: str, around: tuple[st.Stmt, ...]) -> None:
        outer = next((x for x in reversed(around) if _kind(x) is ForKind.GPU_BLOCK), None)
        if outer is None or any(_kind(x) in THREAD_KINDS for x in around):
            return
        inner = next((x for x in st.walk(s) if x is not s and _kind(x) is ForKind.GPU_BLOCK), None)
        if isinstance(outer, st.For) and isinstance(inner, st.For):
            raise self.fail(
                f"{what} is inside GPU block loop over {outer.name} but outside GPU block loop over {inner.name}. "
                "Funcs cannot be scheduled in between GPU block loops.",
                (*around, s),
            )


def _kind(s: st.Stmt) -> ForKind | None:
    return s.kind if isinstance(s, st.For) else None


def _lines(s: st.Stmt, indent: str) -> Iterator[str]:
    """The loops of `s`, a line each."""
    match s:
        case st.For():
            yield f"{indent}{s.kind.value} {s.name}:"
        case st.Realize():
            yield f"{indent}store_at for {s.name}:"
        case st.Produce():
            yield f"{indent}compute_at for {s.name}:"
    inner = indent + " " * isinstance(s, st.For | st.Realize | st.Produce)
    for x in st.bodies(s):
        yield from _lines(x, inner)
