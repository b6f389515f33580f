"""Evaluation of whole pipelines by their definitions alone: what every schedule must compute."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from halide_core.errors import HalideError
from halide_core.extern_calls import Memory, call_extern
from halide_core.function import Definition, Function
from halide_core.interp.expr import Array, dtype_of, evaluate
from halide_core.ir import expr as ir
from halide_core.ir.expr import CallType
from halide_core.ir.structural import post_order
from halide_core.ir.types import Type

# A box: (min, extent) by dimension.
Box = tuple[tuple[int, int], ...]


def evaluate_function(
    f: Function,
    box: Box,
    images: Mapping[str, tuple[Array, tuple[int, ...]]],
    scalars: Mapping[str, Any] | None = None,
    initial: Array | None = None,
) -> list[Array]:
    """The values of `f` over `box`, one array for each element of its Tuple, indexed by dimension in order.

    `images` maps names to (array indexed by dimension in order, mins); `initial` is what an undefined pure
    definition finds in the buffer.  Pure loops of updates run over the box in ascending order, innermost first."""
    return _Evaluator(dict(images), dict(scalars or {})).function(f, box, initial)


class _Evaluator:
    def __init__(self, images: dict[str, tuple[Array, tuple[int, ...]]], scalars: dict[str, Any]) -> None:
        self.images = images
        self.scalars = scalars
        self.cache: dict[tuple[int, Box], list[Array]] = {}

    def function(self, f: Function, box: Box, initial: Array | None = None) -> list[Array]:
        number = (id(f), box)
        if number in self.cache and initial is None:
            return self.cache[number]
        whole = self._touched(f, box)
        if initial is not None and whole != box:
            raise HalideError(f"The updates of Func {f.name} touch {whole}, which is more than the buffer given: {box}")
        shape = tuple(e for _, e in whole)
        values = [np.zeros(shape, dtype=dtype_of(t)) for t in f.types]
        assert f.pure is not None
        env = {**self.scalars, **_grids(list(zip(f.args, whole, strict=True)))}
        if f.extern is not None:
            values = self._external(f, whole)
        for k, v in enumerate(f.pure.values if f.extern is None else ()):
            if isinstance(v, ir.Call) and v.name == "undef":
                if initial is not None:
                    values[k] = initial.copy()
                continue
            values[k] = np.array(np.broadcast_to(self.value(v, env, None, whole, values), shape))
        for update in f.updates:
            self._update(f, update, whole, values)
        part = tuple(slice(a - b, a - b + e) for (a, e), (b, _) in zip(box, whole, strict=True))
        values = [v[part] for v in values]
        if initial is None:
            self.cache[number] = values
        return values

    def _external(self, f: Function, box: Box) -> list[Array]:
        """What the external stage stores in `box`: asked for what it computes, then for what that needs."""
        assert f.extern is not None
        count = len(f.extern.arguments)
        asked = self._arguments(f, box, None)
        call_extern(f.extern.symbol, asked, True)
        whole = tuple(d[:2] for d in _memory(asked[count]).dims)
        asked = self._arguments(f, whole, None)
        call_extern(f.extern.symbol, asked, True)
        values = [np.zeros([e for _, e in whole][::-1], dtype_of(t)).T for t in f.types]
        boxes = [tuple(d[:2] for d in a.dims) if isinstance(a, Memory) else () for a in asked]
        kept: list[Array] = []
        args = self._arguments(f, whole, (values, boxes, kept))
        call_extern(f.extern.symbol, args, False)
        part = tuple(slice(a - b, a - b + e) for (a, e), (b, _) in zip(box, whole, strict=True))
        return [np.array(v[part]) for v in values]

    def _arguments(
        self, f: Function, box: Box, memory: tuple[list[Array], list[Box], list[Array]] | None
    ) -> list[Memory | tuple[Type, Any]]:
        """The arguments of an external stage that computes `box`; `memory` has its results, the boxes of its arguments,
        and room for what must live as long as the arguments."""
        assert f.extern is not None
        out: list[Memory | tuple[Type, Any]] = []
        for k, e in enumerate(f.extern.arguments):
            if isinstance(e, ir.Call) and e.call_type is CallType.IMAGE:
                array, mins = self.images[e.name]
                out.append(_described(array, e.type, tuple(zip(mins, array.shape, strict=True))))
            elif isinstance(e, ir.Call) and e.call_type is CallType.HALIDE:
                if memory is None:
                    out.append(Memory(e.type, None, [(0, 0, 0)] * len(e.args)))
                    continue
                array = np.asfortranarray(self.function(e.target, memory[1][k])[e.value_index])
                memory[2].append(array)
                out.append(_described(array, e.type, memory[1][k]))
            else:
                out.append((e.type, self.value(e, self.scalars, None, (), []).item()))
        for k, t in enumerate(f.types):
            empty = Memory(t, None, [(low, extent, 0) for low, extent in box])
            out.append(empty if memory is None else _described(memory[0][k], t, box))
        return out

    def _touched(self, f: Function, box: Box) -> Box:
        """`box` with what the updates write or read of `f` itself at coordinates other than their own pure ones."""
        for d in f.updates:
            loops = self._domain(d) + _pure_loops(f, d, box)
            env = {**self.scalars, **_grids(loops)}
            own = [list(d.args), *(c.args for c in _calls(d, f))]
            if not all(extent for _, (_, extent) in loops):
                continue
            dims = list(box)
            for k, name in enumerate(f.args):
                for args in own:
                    if _is(args[k], name):
                        continue
                    at = self.value(args[k], env, None, box, [])
                    low, high = min(dims[k][0], int(at.min())), max(dims[k][0] + dims[k][1] - 1, int(at.max()))
                    dims[k] = (low, high - low + 1)
            box = tuple(dims)
        return box

    def _domain(self, d: Definition) -> list[tuple[str, tuple[int, int]]]:
        if d.domain is None:
            return []
        known = self._metadata()
        return [
            (name, (int(evaluate(low, known).item()), max(int(evaluate(extent, known).item()), 0)))
            for name, low, extent in d.domain.variables
        ]

    def _update(self, f: Function, d: Definition, box: Box, values: list[Array]) -> None:
        pure = _pure_loops(f, d, box)
        # Iterations over these meet only where they are equal: each touches no other's elements.
        apart = [
            (n, span)
            for n, span in pure
            if all(_is(c.args[f.args.index(n)], n) for c in _calls(d, f))
        ]
        ordered = self._domain(d) + [p for p in pure if p not in apart]
        names = [n for n, _ in reversed(ordered)]
        grids = {**self.scalars, **_grids(apart)}
        shape = tuple(extent for _, (_, extent) in apart)
        for point in itertools.product(*(range(low, low + extent) for _, (low, extent) in reversed(ordered))):
            env = {**grids, **dict(zip(names, point, strict=True))}
            runs = np.ones(shape, dtype=np.bool_)
            for p in d.domain.predicates if d.domain is not None else ():
                runs = runs & self.value(p, env, f, box, values)
            if not runs.any():
                continue
            at = [
                np.broadcast_to(self.value(a, env, f, box, values).astype(np.int64) - low, shape)[runs]
                for a, (low, _) in zip(d.args, box, strict=True)
            ]
            if any((i < 0).any() or (i >= e).any() for i, (_, e) in zip(at, box, strict=True)):
                raise HalideError(f"The update of Func {f.name} writes outside its box")
            new = [np.broadcast_to(self.value(v, env, f, box, values), shape)[runs] for v in d.values]
            for k, v in enumerate(new):
                # A Func without dimensions has one value.
                values[k][tuple(at)] = v if at else v[0]

    def _metadata(self) -> dict[str, Any]:
        out = dict(self.scalars)
        for name, (array, mins) in self.images.items():
            for k in range(array.ndim):
                out[f"{name}.min.{k}"], out[f"{name}.extent.{k}"] = mins[k], array.shape[k]
        return out

    def value(self, e: ir.Expr, env: dict[str, Any], own: Function | None, box: Box, values: list[Array]) -> Array:
        def call(node: ir.Call, args: list[Array]) -> Array:
            if node.call_type is CallType.IMAGE:
                array, mins = self.images[node.name]
                return self._pick(node.name, array, mins, args)
            if node.target is own and own is not None:
                return self._pick(node.name, values[node.value_index], tuple(low for low, _ in box), args)
            spans = [(int(a.min()), int(a.max()) - int(a.min()) + 1) if a.size else (0, 0) for a in args]
            inner = self.function(node.target, tuple(spans))
            return self._pick(node.name, inner[node.value_index], tuple(low for low, _ in spans), args)

        return evaluate(e, {**self._metadata(), **env}, None, call)

    def _pick(self, name: str, array: Array, mins: tuple[int, ...], args: list[Array]) -> Array:
        local = [np.asarray(a).astype(np.int64) - m for a, m in zip(args, mins, strict=True)]
        for k, i in enumerate(local):
            if i.size and (i.min() < 0 or i.max() >= array.shape[k]):
                raise HalideError(f"{name} is read outside its bounds in dimension {k}")
        return np.asarray(array[tuple(np.broadcast_arrays(*local))] if local else array)


def _memory(a: Memory | tuple[Type, Any]) -> Memory:
    assert isinstance(a, Memory)
    return a


def _described(array: Array, t: Type, box: Box) -> Memory:
    """`array`, which holds `box`, as an argument of an external stage."""
    strides = [s // array.itemsize for s in array.strides]
    return Memory(t, array.ctypes.data, [(low, n, s) for (low, n), s in zip(box, strides, strict=True)])


def _grids(loops: list[tuple[str, tuple[int, int]]]) -> dict[str, Any]:
    """The values of loop variables, each along an axis of its own."""
    return {
        name: np.arange(low, low + extent, dtype=np.int32).reshape([-1 if k == j else 1 for j in range(len(loops))])
        for k, (name, (low, extent)) in enumerate(loops)
    }


def _pure_loops(f: Function, d: Definition, box: Box) -> list[tuple[str, tuple[int, int]]]:
    """The dimensions whose own variable stands at their place on the left of an update."""
    return [
        (n, span)
        for a, n, span in zip(d.args, f.args, box, strict=True)
        if _is(a, n)
    ]


def _is(e: ir.Expr, name: str) -> bool:
    return isinstance(e, ir.Variable) and e.name == name


def _calls(d: Definition, f: Function) -> list[ir.Call]:
    """The calls of `f` in one of its own definitions."""
    predicates = d.domain.predicates if d.domain is not None else ()
    values = (*d.args, *d.values, *predicates)
    return [c for e in values for c in post_order(e) if isinstance(c, ir.Call) and c.target is f]
