"""Evaluation of whole pipelines by their definitions alone: what every schedule must compute."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from halide_core.errors import HalideError
from halide_core.function import Definition, Function
from halide_core.interp.expr import Array, dtype_of, evaluate
from halide_core.ir import expr as ir
from halide_core.ir.expr import CallType

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
        shape = tuple(e for _, e in box)
        values = [np.zeros(shape, dtype=dtype_of(t)) for t in f.types]
        assert f.pure is not None
        env = dict(self.scalars)
        for d, name in enumerate(f.args):
            grid = np.arange(box[d][0], box[d][0] + box[d][1], dtype=np.int32)
            env[name] = grid.reshape(tuple(-1 if k == d else 1 for k in range(len(box))))
        for k, v in enumerate(f.pure.values):
            if isinstance(v, ir.Call) and v.name == "undef":
                if initial is not None:
                    values[k] = initial.copy()
                continue
            values[k] = np.array(np.broadcast_to(self.value(v, env, None, box, values), shape))
        for update in f.updates:
            self._update(f, update, box, values)
        if initial is None:
            self.cache[number] = values
        return values

    def _update(self, f: Function, d: Definition, box: Box, values: list[Array]) -> None:
        ranges: list[tuple[str, range]] = []
        if d.domain is not None:
            for name, low, extent in d.domain.variables:
                first, count = (int(evaluate(e, self._metadata()).item()) for e in (low, extent))
                ranges.append((name, range(first, first + count)))
        pure = [n for a, n in zip(d.args, f.args, strict=True) if isinstance(a, ir.Variable) and a.name == n]
        for n in pure:
            low_, extent_ = box[f.args.index(n)]
            ranges.append((n, range(low_, low_ + extent_)))
        for point in itertools.product(*(r for _, r in reversed(ranges))):
            env = dict(self.scalars)
            env.update(zip([n for n, _ in reversed(ranges)], point, strict=True))
            if d.domain is not None and not all(bool(self.value(p, env, f, box, values)) for p in d.domain.predicates):
                continue
            at = tuple(int(self.value(a, env, f, box, values)) - box[k][0] for k, a in enumerate(d.args))
            if any(not 0 <= i < e for i, (_, e) in zip(at, box, strict=True)):
                raise HalideError(f"The update of Func {f.name} writes outside its box")
            new = [self.value(v, env, f, box, values) for v in d.values]
            for k, v in enumerate(new):
                values[k][at] = v

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
