"""Emitted Python modules, read back: what they build must be, node for node, what the summary says.

A module is executed under `halide_core`, whose API makes the project's own expressions.  Its Funcs' definitions are
compared with those that `codegen/printed.py` makes of the summary, its choice of a path with the summary's conditions,
and its regions with the layouts, both on numbers."""

from __future__ import annotations

import ast
import builtins
import contextlib
import inspect
import itertools
import math
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from codegen.conditions import pointer_names
from codegen.pipeline import compiled
from codegen.plan import image_tables
from codegen.printed import PrintedDefinition, PrintedPath, printed_body
from codegen.printer import PythonPrinter
from halide_core import function as core
from halide_core.interp.expr import dtype_of, evaluate
from halide_core.ir import expr as E
from halide_core.ir.expr import Call, CallType, Expr, Variable, const_value, intrinsic
from halide_core.ir.operators import cast_to
from halide_core.ir.structural import post_order, same, substitute, transform
from halide_core.ir.types import Type
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.names import address_name
from lifter.ir.summary import FuncSummary, Layout, PathSummary, Summary

SAMPLES = 32
MOST_EDGES = 96
"""Sets of parameters on which conditions are compared: at random, and around their constants."""


class Misprint(Exception):
    """A module that does not say what was proved; the text says where."""


def check_module(text: str, summary: Summary, paths: Sequence[PrintedPath]) -> None:
    """Raises Misprint unless the module `text` builds what `paths` are."""
    module = executed(text)
    many = len(summary.paths) > 1
    for number, path in enumerate(paths):
        build = module[f"build_{number}" if many else "build"]
        # A schedule may put definitions beside those that were proved.
        scheduled = "device" in inspect.signature(build).parameters
        _check_path(build(device=False) if scheduled else build(), summary, path)
    _Numbers(text, module, summary, paths).check()


def executed(text: str) -> dict[str, Any]:
    """What an emitted module defines, by name."""

    def importing(name: str, *args: Any) -> Any:
        if name == "halide":
            raise ImportError(name)
        return builtins.__import__(name, *args)

    module: dict[str, Any] = {"__builtins__": {**vars(builtins), "__import__": importing}, "__name__": "emitted"}
    # The language warns on standard output, which may be somebody's JSON.
    with contextlib.redirect_stdout(sys.stderr):
        exec(compile(text, "<emitted module>", "exec"), module)
    return module


def _check_path(built: Any, summary: Summary, path: PrintedPath) -> None:
    images, parameters, outputs = built
    plan = path.plan
    got: dict[str, Any] = {n: (i.name(), i.type(), i.dimensions()) for n, i in images.items()}
    _equal("images", got, {i.name: (i.name, i.type, len(i.layout.dims)) for i in plan.images})
    got = {n: (p.label, p.type()) for n, p in parameters.items()}
    _equal("parameters", got, {p.name: (p.name, p.type) for p in path.parameters})
    wanted = [f.name for f in plan.outputs] + ([plan.result_name] if path.result is not None else [])
    _equal("outputs", sorted(outputs), sorted(wanted))
    reader = _Reader(summary, path, {p.name(): p.label for p in parameters.values()})
    found = _reachable([f._function for f in outputs.values()])
    for f in plan.path.funcs:
        if f.name in found:
            reader.check_func(found[f.name], f)
    if path.result is not None:
        made = found[plan.result_name].definitions()
        _equal(f"definitions of {plan.result_name}", len(made), 1)
        reader.compare(plan.result_name, made[0].values[0], path.result, {})


def _equal(what: str, got: object, wanted: object) -> None:
    if got != wanted:
        raise Misprint(f"{what}: {got}, not {wanted}")


def _reachable(outputs: Iterable[core.Function]) -> dict[str, core.Function]:
    found: dict[str, core.Function] = {}
    stack = list(outputs)
    while stack:
        f = stack.pop()
        if f.name in found:
            if found[f.name] is not f:
                raise Misprint(f"two Funcs are called {f.name}")
            continue
        found[f.name] = f
        stack += [n.target for d in f.definitions() for n in _calls(d) if n.call_type is CallType.HALIDE]
    return found


def _calls(d: core.Definition) -> Iterable[Call]:
    inside = [] if d.domain is None else d.domain.predicates
    for e in (*d.values, *d.args, *inside):
        yield from (n for n in post_order(e) if isinstance(n, Call))


class _Reader:
    """The definitions of one path; `labels` are the Params' own names by those that tell them apart."""

    def __init__(self, summary: Summary, path: PrintedPath, labels: Mapping[str, str]) -> None:
        self.summary, self.path, self.labels = summary, path, labels
        self.tables: dict[tuple[Type, bytes], str] = {}
        self.same_table: dict[str, str] = {}
        for table in image_tables(summary, path.plan):
            contents = np.array(table.values, dtype_of(table.type)).tobytes()
            self.same_table[table.name] = self.tables.setdefault((table.type, contents), table.name)

    def check_func(self, got: core.Function, f: FuncSummary) -> None:
        """The definitions of a Func, in order, and the type of its values."""
        made = got.definitions()
        _equal(f"type of {f.name}", got.types, (f.type,))
        _equal(f"coordinates of {f.name}", got.args, tuple(d.name for d in f.layout.dims))
        if f.undefined:
            self.compare(f.name, made[0].values[0], intrinsic("undef", f.type), {})
            made = made[1:]
        definitions = self.path.definitions[f.name]
        _equal(f"definitions of {f.name}", len(made), len(definitions))
        for number, (d, wanted) in enumerate(zip(made, definitions, strict=True)):
            self._definition(f"definition {number} of {f.name}", d, wanted)

    def _definition(self, what: str, got: core.Definition, wanted: PrintedDefinition) -> None:
        domain = () if got.domain is None else got.domain.variables
        _equal(f"domain of {what}", len(domain), len(wanted.names))
        names = {v[0]: n for v, n in zip(domain, wanted.names, strict=True)}
        for (_, low, extent), e in zip(domain, wanted.extents, strict=True):
            self.compare(f"domain of {what}", low, E.const(0, E.I32), names)
            self.compare(f"domain of {what}", extent, e, names)
        predicates = [] if got.domain is None else got.domain.predicates
        _equal(f"conditions of {what}", len(predicates), int(wanted.where is not None))
        if wanted.where is not None:
            self.compare(f"condition of {what}", predicates[0], wanted.where, names)
        _equal(f"coordinates of {what}", len(got.args), len(wanted.args))
        for a, b in zip(got.args, wanted.args, strict=True):
            self.compare(f"coordinates of {what}", a, b, names)
        self.compare(what, got.values[0], wanted.value, names)

    def compare(self, what: str, got: Expr, wanted: Expr, names: Mapping[str, str]) -> None:
        """Raises Misprint where two expressions are not the same; `names` are those of reduction variables."""
        read, said = _folded(self._read(got, names)), _folded(self._inlined(wanted))
        if not same(read, said):
            raise Misprint(f"{what} reads {read}, not {said}")

    def _read(self, e: Expr, names: Mapping[str, str]) -> Expr:
        def visit(n: Expr) -> Expr:
            if isinstance(n, Variable):
                return Variable(n.type, names.get(n.name, self.labels.get(n.name, n.name)))
            if isinstance(n, Call) and n.name == "strict_float":
                return n.args[0]
            if isinstance(n, Call) and n.target is not None:
                is_table = isinstance(n.target, core.Image) and n.target.array is not None
                return Call(n.type, self._table(n.target) if is_table else n.name, n.args, n.call_type, n.value_index)
            return n

        return transform(e, visit)

    def _table(self, image: core.Image) -> str:
        """The table that a Buffer holds, by what is in it."""
        contents = np.ascontiguousarray(image.array.view).tobytes()
        if (image.type, contents) not in self.tables:
            raise Misprint(f"there is no table of {image.type} that holds {image.array.view}")
        return self.tables[image.type, contents]

    def _inlined(self, e: Expr) -> Expr:
        """`e` with the bodies of scalar functions in place of their calls, and equal tables under one name."""

        def visit(n: Expr) -> Expr:
            if isinstance(n, Call) and n.call_type is CallType.IMAGE:
                return Call(n.type, self.same_table.get(n.name, n.name), n.args, n.call_type)
            if not isinstance(n, Call) or n.call_type is not CallType.FUNCTION:
                return n
            f = self.summary.functions[n.name]
            args = {p: a for (p, _), a in zip(f.params, n.args, strict=True)}
            return substitute(self._inlined(printed_body(f)), args)

        return transform(e, visit)


def _folded(e: Expr) -> Expr:
    """Conversions of constants, which the API makes at once: arguments of inlined functions may be constants."""

    def visit(n: Expr) -> Expr:
        if isinstance(n, E.Cast) and const_value(n.value) is not None:
            return cast_to(n.type, n.value)
        return n

    return transform(e, visit)


class _Numbers:
    """What a module says of plain numbers: the choice of a path, and the regions of each."""

    def __init__(self, text: str, module: dict[str, Any], summary: Summary, paths: Sequence[PrintedPath]) -> None:
        self.text, self.module, self.summary, self.paths = text, module, summary, paths
        self.groups = [_conditions(p) for p in summary.paths]
        conditions = [c for group in self.groups for c in group]
        self.pointers = pointer_names(summary.function, conditions)
        self.scalars = [p for p in summary.function.params if not p.pointer]
        self.samples = list(self._samples(conditions))

    def _samples(self, conditions: Iterable[Expr]) -> Iterator[dict[str, Any]]:
        """Values at random, and for each parameter those around each constant of the conditions."""
        rng = random.Random(1)
        constants = {const_value(n) for c in conditions for n in post_order(c)} - {None}
        edges = sorted({int(c) + d for c in constants if c is not None and math.isfinite(c) for d in (-1, 0, 1)})
        yield from (self._sample(rng) for _ in range(SAMPLES))
        for p, edge in itertools.islice(itertools.product(self.scalars, edges), MOST_EDGES):
            at = float(edge) if p.type.is_float() else bool(edge) if p.type.is_bool() else p.type.wrap(edge)
            yield self._sample(rng) | {p.name: dtype_of(p.type).type(at) if p.type.is_float() else at}

    def _sample(self, rng: random.Random) -> dict[str, Any]:
        values: dict[str, Any] = {p.name: _drawn(p.type, rng) for p in self.scalars}
        return values | {address_name(p): rng.choice((0, 4096, 4100, 1 << 40)) for p in self.pointers}

    def check(self) -> None:
        """Raises Misprint where a number differs."""
        variant = next(n for n in ast.parse(self.text).body if isinstance(n, ast.FunctionDef) and n.name == "variant")
        branches = [n for n in variant.body if isinstance(n, ast.If)]
        _equal("the number of paths", len(branches), len(self.groups))
        types = {p.name: dtype_of(p.type) for p in self.scalars}
        types |= {address_name(p): np.dtype("u8") for p in self.pointers}
        env = {n: np.array([s[n] for s in self.samples], t) for n, t in types.items()}
        for number, (branch, group) in enumerate(zip(branches, self.groups, strict=True)):
            self._check_conditions(number, branch.test, group, env)
            found = ast.unparse(branch.body[0])
            path = self.paths[number].plan.path
            suffix = f"_{number}" if len(self.paths) > 1 else ""
            computed = bool(path.funcs) or path.result is not None
            _equal(f"path {number}", found, f"return (build{suffix}, regions{suffix})" if computed else "return None")
            if computed:
                self._check_regions(number)
        arguments = [*self._arguments(self.samples[0])]
        _equal("what `variant` takes", [a.arg for a in variant.args.args], arguments)

    def _check_conditions(self, number: int, test: ast.expr, group: list[Expr], env: Mapping[str, Any]) -> None:
        both = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and len(group) > 1
        parts = test.values if both and isinstance(test, ast.BoolOp) else [test]
        _equal(f"the number of conditions of path {number}", len(parts), max(len(group), 1))
        for part, c in zip(parts, group or [E.make_bool(True)], strict=True):
            code = compile(ast.Expression(part), "<condition>", "eval")
            with np.errstate(all="ignore"):
                wanted = np.broadcast_to(evaluate(compiled(c), env), len(self.samples))
                step = 1 + len(self.samples) // 8 if "_evaluated" in ast.unparse(part) else 1  # each is a pipeline
                for sample, expected in [*zip(self.samples, wanted, strict=True)][::step]:
                    got = eval(code, self.module, self._arguments(sample))
                    if bool(got) != bool(expected):
                        raise Misprint(f"path {number}: {ast.unparse(part)} is {got} for {sample}, unlike {c}")

    def _arguments(self, sample: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of `variant` by name: scalars, addresses, then whether pointers are null."""
        name = PythonPrinter().name
        out = {name(p.name): sample[p.name] for p in self.scalars}
        out |= {n: sample[address_name(p)] for p, (n, address) in self.pointers.items() if address}
        return out | {n: sample[address_name(p)] == 0 for p, (n, address) in self.pointers.items() if not address}

    def _check_regions(self, number: int) -> None:
        plan = self.paths[number].plan
        layouts = self.paths[number].layouts
        regions = self.module[f"regions_{number}" if len(self.paths) > 1 else "regions"]
        whole = [p.name for p in self.scalars if not p.type.is_float()]
        usual = [s for s in self.samples[:SAMPLES] if all(abs(s[n]) < _HUGE for n in whole)]
        for sample in usual[::8]:
            with np.errstate(all="ignore"):
                got = regions(*(sample[p.name] for p in self.scalars))
                wanted = {n: _region(layout, sample) for n, layout in layouts.items()}
            got = {n: (array, E.I64.wrap(int(at)), _wrapped(dims)) for n, (array, at, dims) in got.items()}
            if plan.path.result is not None:
                wanted[plan.result_name] = ("", 0, ())
            _equal(f"the regions for {sample}", got, wanted)


_HUGE = 1 << 40
"""Of parameters as large as that the ends of regions wrap, in the one order of operations and not in the other."""


def _conditions(path: PathSummary) -> list[Expr]:
    return [*path.conditions, *(i.condition for i in path.contract if i.condition is not None)]


def _region(layout: Layout, sample: Mapping[str, Any]) -> tuple[str, int, tuple[tuple[int, int, int], ...]]:
    def number(p: Poly) -> int:
        return int(evaluate(from_poly(p), sample))

    dims = tuple((number(d.min), number(d.extent), number(d.stride or Poly())) for d in layout.dims)
    return layout.array, number(layout.offset), dims


def _wrapped(dims: Iterable[Iterable[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(E.I64.wrap(int(n)) for n in d) for d in dims)


def _drawn(t: Type, rng: random.Random) -> Any:
    """A value for a parameter, small ones most often, now and then one at the ends of its type."""
    if t.is_float():
        return dtype_of(t).type(rng.choice((0.0, -0.0, 1.0, 0.5, -1.5, 255.0, 3e9, math.nan, math.inf, rng.random())))
    if t.is_bool():
        return rng.random() < 0.5
    low, high = int(t.min()), int(t.max())
    if rng.random() < 0.15:
        return rng.choice((low, low + 1, high - 1, high, low // 2, high // 2 + 1))
    return min(max(rng.choice((0, 1, 2, 3, 4, 7, 8, 16, 31, 64, 100, 640, 1920, -1, -3)), low), high)
