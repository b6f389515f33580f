"""Scheduling of a whole Func: where it is computed and stored, over which bounds, in which layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from halide_core.dsl.loop_level import LoopLevel, variable_name
from halide_core.dsl.overloads import overloaded
from halide_core.dsl.schedule import Stage
from halide_core.errors import HalideError
from halide_core.function import LoopLevel as Place
from halide_core.ir.expr import I32, Expr, const_value
from halide_core.ir.operators import as_expr, cast_to
from halide_core.ir.stmt import MemoryType


class EvictionKey:
    """By what memoized results would be dropped, EvictionKey(expr); nothing is kept here."""

    def __init__(self, key: Any) -> None:
        self.key = as_expr(key)


class Placement(Stage):
    """The directives that Func has beside those of its pure stage."""

    def compute_root(self) -> Self:
        """Computed in full before anything that uses it."""
        self._place("compute", Place())
        return self

    def compute_inline(self) -> Self:
        """Computed anew at every use."""
        for what in ("compute", "store", "hoist"):
            self._function.handles.pop(what, None)
        self._function.compute = self._function.store = None
        return self

    @overloaded("f, var", "f, rvar", "loop_level")
    def compute_at(self, func: Any, var: Any = None) -> Self:
        """Computed anew in every iteration of loop `var` of `func`, or at a LoopLevel."""
        self._place("compute", _level(func, var))
        return self

    @overloaded("f, var", "f, rvar", "loop_level")
    def store_at(self, func: Any, var: Any = None) -> Self:
        """Stored for the whole of an iteration of loop `var` of `func`, which encloses where it is computed."""
        self._place("store", _level(func, var))
        return self

    def store_root(self) -> Self:
        self._place("store", Place())
        return self

    @overloaded("f, var", "f, rvar", "loop_level")
    def hoist_storage(self, func: Any, var: Any = None) -> Self:
        """Allocated once for an iteration of loop `var` of `func`."""
        self._place("hoist", _level(func, var))
        return self

    def hoist_storage_root(self) -> Self:
        self._place("hoist", Place())
        return self

    def _place(self, what: str, level: Place | LoopLevel) -> None:
        f = self._function
        follows = f.store is None or f.store == f.compute
        handle = level if isinstance(level, LoopLevel) else None
        place = level.level if isinstance(level, LoopLevel) else level
        f.handles.pop(what, None)
        if handle is not None:
            f.handles[what] = handle
        if what == "compute":
            f.compute = place
            if follows and ("store" not in f.handles or handle is not None):
                f.store = place
        elif what == "store":
            f.store = place
        else:
            f.handles[what] = handle if handle is not None else _known(place)

    def _dimension(self, var: Any, what: str) -> str:
        name = variable_name(var)
        if name not in self._function.args:
            args = ", ".join(self._function.args)
            raise HalideError(f"{what}: Func {self._function.name} has no dimension {name}; it has: {args}")
        return name

    @overloaded("dims")
    def reorder_storage(self, *dims: Any) -> Self:
        """The dimensions from innermost in memory outwards."""
        items = list(dims[0]) if len(dims) == 1 and isinstance(dims[0], list | tuple) else list(dims)
        names = [self._dimension(d, "reorder_storage") for d in items]
        if len(set(names)) != len(names):
            raise HalideError(f"reorder_storage: a dimension of Func {self._function.name} is named twice")
        if len(names) < 2:
            raise HalideError(f"reorder_storage: Func {self._function.name} was given fewer than two dimensions")
        order = self._function.storage_order
        places = sorted(order.index(n) for n in names)
        for place, n in zip(places, names, strict=True):
            order[place] = n
        return self

    def bound(self, var: Any, min: Any, extent: Any) -> Self:
        """States the bounds of dimension `var`; a use outside of them is an error."""
        name = self._dimension(var, "bound")
        self._function.bounds[name] = (_coordinate(min), _coordinate(extent))
        self._function.extents.pop(name, None)
        return self

    def bound_extent(self, var: Any, extent: Any) -> Self:
        """States the extent of dimension `var`, whatever its min."""
        self._function.extents[self._dimension(var, "bound_extent")] = _coordinate(extent)
        return self

    def align_bounds(self, var: Any, modulus: Any, remainder: Any = 0) -> Self:
        """Widens the computed range of `var` so that its min is `remainder` and its extent 0, modulo `modulus`."""
        self._align(var, modulus, _coordinate(remainder), "align_bounds")
        return self

    def align_extent(self, var: Any, modulus: Any) -> Self:
        """Widens the computed range of `var` to a multiple of `modulus`."""
        self._align(var, modulus, None, "align_extent")
        return self

    def _align(self, var: Any, modulus: Any, remainder: Expr | None, what: str) -> None:
        name, m = self._dimension(var, what), _coordinate(modulus)
        value = const_value(m)
        if value is not None and value <= 0:
            raise HalideError(f"{what}: the modulus of {name} of Func {self._function.name} must be positive")
        self._function.alignments[name] = (m, remainder)

    def align_storage(self, dim: Any, alignment: Any) -> Self:
        """Pads the storage of dimension `dim` to a multiple of `alignment`."""
        self._function.storage_alignments[self._dimension(dim, "align_storage")] = _coordinate(alignment)
        return self

    def bound_storage(self, dim: Any, bound: Any) -> Self:
        """Gives the storage of dimension `dim` the extent `bound`, which must suffice."""
        self._function.storage_bounds[self._dimension(dim, "bound_storage")] = _coordinate(bound)
        return self

    def fold_storage(self, dim: Any, extent: Any, fold_forward: bool = True) -> Self:
        """Stores coordinate c of dimension `dim` at c modulo `extent`, which must hold what one iteration uses."""
        self._function.folds[self._dimension(dim, "fold_storage")] = (_coordinate(extent), fold_forward)
        return self

    def memoize(self, eviction_key: Any = None) -> Self:
        """Permits results to be kept between runs; here they are computed each time."""
        self._function.memoized = True
        return self

    def store_in(self, memory_type: MemoryType) -> Self:
        """Has the Func stored in that kind of memory; it says something of what a device computes only."""
        self._function.memory = memory_type
        return self

    # Hints: they bear on speed alone.

    def async_(self) -> Self:
        return self

    def ring_buffer(self, extent: Any) -> Self:
        self._function.ringed = True
        return self

    # Tracing.
    def trace_loads(self) -> Self:
        """Prints each load of a value, where the Func is not inlined."""
        return self._trace("loads")

    def trace_stores(self) -> Self:
        """Prints each store of a value, where the Func is not inlined."""
        return self._trace("stores")

    def trace_realizations(self) -> Self:
        """Prints when storage and values of the Func begin and end to exist and to be used."""
        return self._trace("realizations")

    def add_trace_tag(self, trace_tag: str) -> Self:
        """Prints `trace_tag` when a pipeline with the Func begins."""
        self._function.trace_tags = (*self._function.trace_tags, trace_tag)
        return self

    def _trace(self, what: str) -> Self:
        if what not in self._function.traced:
            self._function.traced = tuple(sorted((*self._function.traced, what)))
        return self

    # For autoschedulers.
    def set_estimate(self, var: Any, min: Any, extent: Any) -> Self:
        """States the likely range of dimension `var` of an output."""
        self._function.estimates[self._dimension(var, "set_estimate")] = (_coordinate(min), _coordinate(extent))
        return self

    def set_estimates(self, estimates: Any) -> Self:
        """States the likely (min, extent) of each dimension of an output."""
        args = self._function.args
        if len(estimates) != len(args):
            raise HalideError(
                f"Func {self._function.name} has {len(args)} dimensions, but the estimates passed to set_estimates "
                f"contains {len(estimates)} pairs."
            )
        for name, (low, extent) in zip(args, estimates, strict=True):
            self.set_estimate(name, low, extent)
        return self

    # Other Funcs in its place.
    @overloaded("f", "fs", "")
    def in_(self, consumers: Any = None) -> Any:
        """A Func that copies this one and is used instead of it by `consumers`, a Func or several (None: by all)."""
        from halide_core.dsl.wrapping import wrapper

        return wrapper(self, _several(consumers), clone=False)

    @overloaded("f", "fs")
    def clone_in(self, consumers: Any) -> Any:
        """A Func with this one's definitions that is used instead of it by `consumers`, a Func or several."""
        from halide_core.dsl.wrapping import wrapper

        return wrapper(self, _several(consumers), clone=True)


def _several(consumers: Any) -> Sequence[Any] | None:
    if consumers is None or isinstance(consumers, list | tuple):
        return consumers
    return [consumers]


def _coordinate(value: Any) -> Expr:
    return cast_to(I32, as_expr(value))


def _known(place: Place | None) -> LoopLevel:
    out = LoopLevel()
    out.level, out.known = place, True
    return out


def _level(func: Any, var: Any) -> Place | LoopLevel:
    if isinstance(func, LoopLevel):
        return func
    stage = -1 if not func._stage else func._stage
    return Place(func._function.name, variable_name(var), stage, func._function)
