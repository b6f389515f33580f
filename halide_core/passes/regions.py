"""Over which box each stage of a Func runs and over which it is stored: what is used, widened by its schedule."""

from __future__ import annotations

from dataclasses import dataclass, field

from halide_core.errors import HalideError
from halide_core.function import Definition, Function, Split, TailStrategy
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.box import Box, Interval
from halide_core.ir.expr import BOOL, I32, CallType, Expr, Variable, const_value
from halide_core.ir.named_calls import has_effect
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import key, nodes, variables
from halide_core.ir.types import Type
from halide_core.passes.boxes import AskedRanges, Known, boxes_touched
from halide_core.passes.intervals import union
from halide_core.passes.levels import calls
from halide_core.passes.loop_nest import build_loop_nest
from halide_core.passes.races import roots_of
from halide_core.passes.trace import Tracing

_WITHIN = (TailStrategy.GuardWithIf, TailStrategy.Predicate, TailStrategy.PredicateStores)


Requirement = tuple[Expr, str, tuple[Expr, ...]]


@dataclass(slots=True)
class Context:
    """What the passes of scheduling share.

    `promises`: ranges of variables that a schedule's guards enforce.  `requirements`: conditions on Params and
    buffers that must hold at run time, each with what to say where it does not; {0}, {1}, ... in the text stand for
    the values of the expressions that follow."""

    promises: dict[str, tuple[Expr, Expr]] = field(default_factory=dict)
    requirements: list[Requirement] = field(default_factory=list)
    # Likewise, but asked where a Func is computed, by their keys.
    local: dict[int, Requirement] = field(default_factory=dict)
    known: Known = field(default_factory=Known)
    asked: AskedRanges = field(default_factory=AskedRanges)
    # The Functions of whose values coordinates are made: all that is touched of them has values of theirs.
    in_coordinates: frozenset[str] = frozenset()
    # The Functions that are computed, and whether each is an output.
    computed: dict[str, bool] = field(default_factory=dict)
    # The external stages, and how many queries of them there are.
    external: dict[str, Function] = field(default_factory=dict)
    queries: int = 0
    tracing: Tracing | None = None
    # Whether anything is chosen by conditions that are the same throughout a run.
    conditional: bool = False

    def query_name(self, name: str) -> str:
        """A name for what the next query of the external stage `name` finds."""
        self.queries += 1
        return f"{name}.query{self.queries - 1}"

    def asked_of(self, *functions: Function) -> AskedRanges | None:
        """What is asked of Functions beside what is touched; None where they must have values wherever they are."""
        whole = self.external or any(f.memoized or f.name in self.in_coordinates for f in functions)
        return None if whole else self.asked

    def known_at_entry(self, e: Expr) -> bool:
        """Whether `e` depends on Params and on buffers alone, not on loops or on what is computed inside."""
        for v in variables(e):
            for name, is_output in self.computed.items():
                own = () if is_output else (f"{name}.min.", f"{name}.extent.")
                if v.startswith((f"{name}.s", f"{name}.query", *own)):
                    return False
        return True

    def is_fixed(self, e: Expr) -> bool:
        """Whether the condition `e` is the same throughout a run, and known before anything is read."""
        stored = (CallType.HALIDE, CallType.IMAGE)
        if const_value(e) is not None or any(n.call_type in stored or has_effect(n) for n in nodes(e, ir.Call)):
            return False
        return all(isinstance(v, ir.ParamVariable) for v in nodes(e, Variable))


def metadata(name: str, what: str, dim: int, type_: Type = I32) -> Variable:
    """The Variable for the min, extent (int32) or stride (int64) of dimension `dim` of array `name`."""
    return Variable(type_, f"{name}.{what}.{dim}")


def overreaches(definition: Definition, var: str | None = None) -> bool:
    """Whether loops of `definition` (those made of `var`) may run outside the range that is asked of them."""
    return any(
        isinstance(s, Split) and s.tail not in _WITHIN and (var is None or var in roots_of(definition, s.old))
        for s in definition.schedule.splits
    )


def computed_range(f: Function, low: Expr | None, high: Expr | None, dim: int, context: Context) -> tuple[Expr, Expr]:
    """(min, extent) of dimension `dim` of `f` where [low, high] is used: as bounded and aligned by its schedule."""
    name = f.args[dim]
    declared = f.bounds.get(name)
    if low is None or high is None:
        if declared is not None:
            return declared
        raise HalideError(f"Func {f.name} is read over an unbounded range of {name}; clamp the coordinate")
    first = simplify_index(low)
    extent = simplify_index(high - low + 1)
    if declared is not None:
        first, extent = _declared(f, name, (first, simplify_index(high)), declared, context)
    elif name in f.extents:
        first, extent = _declared(f, name, (first, simplify_index(high)), (first, f.extents[name]), context)
    if name in f.alignments:
        modulus, remainder = f.alignments[name]
        last = first + extent
        if remainder is not None:
            first = simplify_index(first - ir.Mod(I32, first - remainder, modulus))
        extent = simplify_index(ir.Div(I32, last - first + (modulus - 1), modulus) * modulus)
    return first, extent


def _declared(
    f: Function, name: str, used: tuple[Expr, Expr], declared: tuple[Expr, Expr], context: Context
) -> tuple[Expr, Expr]:
    """`declared` (min, extent), which must cover `used` (min, max): if need be by a check at run time."""
    low, extent = declared
    end = simplify_index(low + extent - 1)
    inside = simplify_index(ir.And(BOOL, low <= used[0], used[1] <= end))
    known = const_value(inside)
    if known:
        return declared
    text = f"Bounds given for {f.name} in {name} (from {{0}} to {{1}}) do not cover required region "
    text += "(from {2} to {3})"
    if known is not None:
        numbers = [const_value(e) for e in (low, end, *used)]
        if all(n is not None for n in numbers):
            raise HalideError(text.format(*numbers))
    requirement = (inside, text, (low, end, *used))
    if known is None and not context.known_at_entry(inside):
        context.local[key(inside)] = requirement
    else:
        context.requirements.append(requirement)
    return declared


def stage_boxes(f: Function, definitions: list[Definition], touched: Box, context: Context) -> list[Box]:
    """What each stage must cover: what consumers touch, and what later updates read or write."""
    boxes = [touched] * len(definitions)
    for k in range(len(definitions) - 1, 0, -1):
        own = _own_box(f, k, definitions[k], boxes[k], context)
        boxes[k - 1] = boxes[k] if own is None else joined(boxes[k], own)
    return boxes


def storage_box(
    f: Function, definitions: list[Definition], box: Box, body: st.Stmt, context: Context, beyond: bool
) -> Box:
    """What must be stored for `body`, in which `f` is computed and used: `box`, and more where tails run beyond, those
    of `f` or (`beyond`) of what uses it.

    Tails run beyond the ranges of the place where `f` is computed, which may be smaller than `box`; and where only
    the use is under a condition, such as a guard inside a fused loop, `f` is also computed where that is false."""
    variants = [v for d in definitions for v in (d, *(s.definition for s in d.schedule.specializations))]
    if not beyond and not any(map(overreaches, variants)) and not _guarded_use(f, body):
        return box
    return joined(box, boxes_touched(body, context.promises, frozenset((f.name,)), context.known)[f.name])


def _guarded_use(f: Function, body: st.Stmt) -> bool:
    """Whether a condition in `body` has uses of `f` under it, and not the production of `f` as well."""
    return any(
        isinstance(s, st.IfThenElse)
        and calls(s, f.name) > 0
        and not any(isinstance(x, st.Produce) and x.name == f.name for x in st.walk(s))
        for s in st.walk(body)
    )


def _own_box(f: Function, stage: int, definition: Definition, box: Box, context: Context) -> Box | None:
    """What a stage touches of `f` itself; None where it never runs."""
    ranges = [computed_range(f, *box.dims[i], i, context) for i in range(len(f.args))]
    nest = build_loop_nest(f, stage, definition, ranges, context.promises, context.asked)
    own = frozenset((f.name,))
    return boxes_touched(nest, context.promises, own, context.known, asked=context.asked_of(f)).get(f.name)


def joined(a: Box, b: Box) -> Box:
    """The smallest box around both."""
    dims: list[Interval] = []
    for x, y in zip(a.dims, b.dims, strict=True):
        low, high = union(x, y)
        dims.append((None if low is None else simplify_index(low), None if high is None else simplify_index(high)))
    return Box(dims)


def stored_range(
    f: Function, low: Expr | None, high: Expr | None, dim: int, context: Context
) -> tuple[Expr, Expr, Requirement | None]:
    """(min, extent) of the storage of dimension `dim`, padded and bounded as the schedule says, and what must hold
    where it is stored."""
    first, extent = computed_range(f, low, high, dim, context)
    name = f.args[dim]
    requirement: Requirement | None = None
    if name in f.storage_bounds:
        bound = f.storage_bounds[name]
        text = "The explicit allocation bound ({0}) of dimension " + f"{name} of {f.name} is too small to store the "
        text += "required region ({1})"
        enough = simplify_index(extent <= bound)
        known = const_value(enough)
        given, needed = const_value(bound), const_value(extent)
        if known is not None and not known and given is not None and needed is not None:
            raise HalideError(text.format(given, needed))
        requirement = None if known else (enough, text, (bound, extent))
        # The check may come after storage was sized.
        extent = simplify_index(ir.Max(I32, extent, bound))
    if name in f.storage_alignments:
        m = f.storage_alignments[name]
        extent = simplify_index(ir.Div(I32, extent + (m - 1), m) * m)
    return first, extent, requirement
