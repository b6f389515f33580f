"""Which Functions a pipeline uses, in an order in which each comes after what it calls."""

from __future__ import annotations

from dataclasses import dataclass, field

from halide_core.errors import HalideError
from halide_core.function import Definition, Function, Image
from halide_core.ir import expr as ir
from halide_core.ir.expr import CallType, Expr
from halide_core.ir.structural import post_order


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
    return out


def build_environment(outputs: list[Function]) -> Environment:
    """The Functions reachable from `outputs`.  Raises HalideError for undefined Funcs and for recursion."""
    env = Environment()
    state: dict[int, int] = {}
    images: dict[int, Image] = {}

    def visit(f: Function) -> None:
        if state.get(id(f)) == 2:
            return
        if state.get(id(f)) == 1:
            raise HalideError(f"Func {f.name} is defined in terms of itself through other Funcs")
        state[id(f)] = 1
        for definition in f.definitions():
            local = set(f.args)
            if definition.domain is not None:
                local |= {n for n, _, _ in definition.domain.variables}
            for e in definition_expressions(definition):
                for node in post_order(e):
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
    env.images = list(images.values())
    _check_names(env)
    return env


def _check_names(env: Environment) -> None:
    seen: dict[str, Function | Image] = {}
    items: list[Function | Image] = [*env.order, *env.images]
    for item in items:
        other = seen.setdefault(item.name, item)
        if other is not item:
            raise HalideError(f"Two Funcs or images of one pipeline are called {item.name}; give them names")
