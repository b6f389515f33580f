"""Which Functions a pipeline uses, in an order in which each comes after what it calls."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from halide_core.errors import HalideError
from halide_core.function import IMAGE_PARAMS, Definition, Function, Image
from halide_core.ir import expr as ir
from halide_core.ir.expr import CallType, Expr
from halide_core.ir.structural import post_order, transform


@dataclass(slots=True, eq=False)
class Environment:
    """Functions in realization order, the images they read and the free scalar Variables (parameters)."""

    order: list[Function] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)
    parameters: dict[str, ir.Variable] = field(default_factory=dict)


def definition_expressions(definition: Definition) -> list[Expr]:
    """Every expression of `definition`: values, coordinates, the domain's bounds and conditions."""
    out = [*definition.values, *definition.args]
    if definition.domain is not None:
        out += definition.domain.predicates
        out += [e for _, low, extent in definition.domain.variables for e in (low, extent)]
    for s in definition.schedule.specializations:
        out += [s.condition, *definition_expressions(s.definition)]
    return out


def schedule_expressions(f: Function) -> list[Expr]:
    """Every expression that the directives of `f` as a whole hold."""
    out = [e for pair in f.bounds.values() for e in pair]
    out += [e for pair in f.alignments.values() for e in pair if e is not None]
    out += [e for e, _ in f.folds.values()]
    for table in (f.extents, f.storage_bounds, f.storage_alignments):
        out += table.values()
    return out


def build_environment(outputs: list[Function]) -> Environment:
    """The Functions reachable from `outputs`.  Raises HalideError for undefined Funcs and for recursion."""
    env = Environment()
    state: dict[int, int] = {}
    images: dict[int, Image] = {}
    stale = [False]

    def visit(f: Function) -> None:
        if state.get(id(f)) == 2:
            return
        if state.get(id(f)) == 1:
            raise HalideError(f"Func {f.name} is defined in terms of itself through other Funcs")
        state[id(f)] = 1
        for e in schedule_expressions(f):
            for node in post_order(e):
                if isinstance(node, ir.Variable):
                    env.parameters[node.name] = node
        for number, definition in enumerate(f.definitions()):
            local = set(f.args)
            if definition.domain is not None:
                local |= {n for n, _, _ in definition.domain.variables}
            external = f.extern.arguments if f.extern is not None and not number else ()
            for e in (*definition_expressions(definition), *external):
                for node in post_order(e):
                    stale[0] = stale[0] or _is_stale(node)
                    if isinstance(node, ir.Variable) and node.name not in local:
                        env.parameters[node.name] = node
                    elif isinstance(node, ir.Call) and node.call_type is CallType.IMAGE:
                        if node.target is None:
                            raise HalideError(f"The image {node.name} that Func {f.name} reads has no definition")
                        images[id(node.target)] = node.target
                    elif isinstance(node, ir.Call) and node.call_type is CallType.HALIDE and node.target is not f:
                        if not isinstance(node.target, Function):
                            raise HalideError(f"The Func {node.name} that Func {f.name} calls has no definition")
                        visit(node.target)
        state[id(f)] = 2
        env.order.append(f)

    for f in outputs:
        visit(f)
    for image in _asked_about(env.parameters, {i.name for i in images.values()}):
        images[id(image)] = image
    env.order.sort(key=lambda f: f.turn)
    env.images = list(images.values())
    renamed = _rename_duplicates(env)
    for f in env.order:
        _refresh_function(f, renamed or stale[0])
    return env


def _asked_about(parameters: Iterable[str], known: set[str]) -> Iterator[Image]:
    """ImageParams of which only the metadata are used, as by a specialization for a width."""
    for name in parameters:
        owner, _, metadata = name.partition(".")
        if owner not in known and metadata.split(".")[0] in ("min", "extent", "stride") and owner in IMAGE_PARAMS:
            known.add(owner)
            yield IMAGE_PARAMS[owner]


def _given(name: str) -> str:
    """The name that a Param was given, of that which tells it from others that are alive."""
    return re.sub(r"\$\d+$", "", name)


def _rename_duplicates(env: Environment) -> bool:
    """Gives Functions and embedded Buffers of one name names of their own: f, f$1, f$2; returns whether any did.

    ImageParams keep theirs, which callers know; two of one name are an error, as in Halide."""
    taken: dict[str, Function | Image | ir.Variable] = {
        name: p for n, p in env.parameters.items() if isinstance(p, ir.ParamVariable) for name in (n, _given(n))
    }
    items: list[Function | Image] = [*sorted(env.images, key=lambda i: not i.is_parameter), *env.order]
    renamed = False
    for item in items:
        base, count = item.name, itertools.count(1)
        while item.name in taken:
            if isinstance(item, Image) and item.is_parameter:
                raise HalideError(
                    f"All Params and embedded Buffers must have unique names, but the name '{base}' was seen multiple "
                    "times."
                )
            item.name = f"{base}${next(count)}"
            renamed = True
        taken[item.name] = item
    return renamed


def _refresh_function(f: Function, calls: bool) -> None:
    """Levels by the present names of what they name; if `calls`, calls too."""
    if calls:
        for d in f.definitions():
            _refresh(d)
        if f.extern is not None:
            f.extern.arguments = tuple(transform(e, _renewed) for e in f.extern.arguments)
    f.compute = None if f.compute is None else f.compute.named()
    f.store = None if f.store is None else f.store.named()


def _is_stale(e: Expr) -> bool:
    return isinstance(e, ir.Call) and isinstance(e.target, Function | Image) and e.name != e.target.name


def _renewed(e: Expr) -> Expr:
    """`e` by the present name of what it calls."""
    return replace(e, name=e.target.name) if isinstance(e, ir.Call) and _is_stale(e) else e


def _refresh(d: Definition) -> None:
    """Calls in `d` by the present names of what they call."""
    for s in d.schedule.specializations:
        _refresh(s.definition)
    d.values = tuple(transform(v, _renewed) for v in d.values)
    d.args = tuple(transform(a, _renewed) for a in d.args)
    if d.domain is not None:
        d.domain.predicates[:] = [transform(p, _renewed) for p in d.domain.predicates]
        ranges = tuple((n, transform(a, _renewed), transform(b, _renewed)) for n, a, b in d.domain.variables)
        pairs = zip(ranges, d.domain.variables, strict=True)
        if any(new[k] is not old[k] for new, old in pairs for k in (1, 2)):
            d.domain = replace(d.domain, variables=ranges)
