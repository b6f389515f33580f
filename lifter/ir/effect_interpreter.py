"""Paths run on small concrete memory: what their effects mean, iteration by iteration.

Effects run in their order, those of one loop together in each of its iterations.  A Load `array@t` sees the memory of
its iteration after the effects with `order < t`: what the same iteration has stored since is taken back for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.structural import key
from halide_core.ir.types import Type
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.effects import ArrayInfo, Effect, FoundObligation, LoopInfo, Path, loads
from lifter.ir.loop_interpreter import StepLimit, UndefinedBehaviour, namespace, run_in
from lifter.ir.loop_ir import Declare, Function, walk
from lifter.ir.loop_to_python import ExpressionWriter, pure_functions
from lifter.ir.names import address_name, is_read, is_undefined, split_tag
from lifter.ir.sample_memory import SampleMemory, initial_value

_MOST_STEPS = 200_000
_Value = Callable[[dict[str, Any], "_Reader"], Any]


class NotRun(Exception):
    """The path cannot be run on these values: they are not what it is for, or it would take too long."""


class Undefined(Exception):
    """An element of a local array is read that nothing was stored to, or one is stored to that it has not."""


class IllFormed(Exception):
    """The effects have no meaning; the text says why."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run leaves: the elements of parameters' arrays that were written, and the result."""

    written: Mapping[str, Mapping[int, Any]]
    result: Any = None


@dataclass(slots=True)
class _Version:
    """One store to an element: when it was made, and by the iterations of which loops."""

    order: int
    loops: tuple[str, ...]
    turns: tuple[int, ...]
    value: Any


@dataclass(slots=True)
class _Reader:
    """The memory of a run."""

    function: Function
    seed: int
    arrays: Mapping[str, ArrayInfo]
    versions: dict[str, dict[int, list[_Version]]] = field(default_factory=dict)
    counters: tuple[str, ...] = ()
    turns: tuple[int, ...] = ()
    """Of the loops that are being run, which iteration of all this is."""

    def load(self, array: str, time: int, index: int, type_: Type) -> Any:
        for v in reversed(self.versions.get(array, {}).get(index, ())):
            if v.order < time or not self._of_this_iteration(v):
                return v.value
        table = self.function.tables.get(array)
        if table is not None:
            return table.values[index] if 0 <= index < len(table.values) else 0
        if array in self.arrays:
            raise Undefined(f"{array}[{index}] is read and was never stored")
        return initial_value(array, type_, index, self.seed)

    def _of_this_iteration(self, v: _Version) -> bool:
        """Whether a store was made in the same iteration of all loops that it has in common with the read."""
        for a, b, x, y in zip(v.loops, self.counters, v.turns, self.turns, strict=False):
            if a != b:
                break
            if x != y:
                return False
        return True

    def store(self, e: Effect, index: int, value: Any) -> None:
        version = _Version(e.order, self.counters, self.turns, value)
        self.versions.setdefault(e.array, {}).setdefault(index, []).append(version)


class EffectInterpreter:
    """Runs the paths of one function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.growing = {s.array for s in walk(function.body) if isinstance(s, Declare) and s.grows}
        self._names = namespace()
        exec("\n".join(pure_functions(function)), self._names)
        self._compiled: dict[int, _Value] = {}
        self._polys: dict[Poly, _Value] = {}

    def run(self, path: Path, values: Mapping[str, Any], seed: int = 0) -> Outcome:
        """Runs a path with `values` for the scalar parameters and `addr.` names.

        Raises NotRun where the path is not for these values, Undefined for reads of what local arrays hold of
        themselves and for stores outside of them, and IllFormed where the effects have no order."""
        return _Run(self, path, dict(values), seed).outcome()

    def value(self, e: Expr) -> _Value:
        """An expression as a Python function."""
        number = key(e)
        known = self._compiled.get(number)
        if known is None:
            writer = _PathWriter(self.function)
            try:
                text = writer.value(e)
            except NotImplementedError as error:
                raise NotRun(str(error)) from error
            lines = ["def value(v, memory):", *writer.out, f"    return {text}"]
            names = {**self._names, **writer.types}
            exec("\n".join(lines), names)
            known = self._compiled[number] = names["value"]
        return known

    def obligations_hold(self, path: Path, values: Mapping[str, Any]) -> bool:
        """Whether no arithmetic wraps, with `values`, that the path takes for arithmetic of integers: what does wrap is
        for the original's own code.  What depends on memory is taken to hold."""
        return _Run(self, path, dict(values), 0).obligations_hold()

    def number(self, p: Poly, values: Mapping[str, Any]) -> int:
        """A polynomial that reads no memory.  Raises NotRun where `values` lack one of its names."""
        try:
            return int(self.poly(p)(dict(values), _Reader(self.function, 0, {})))
        except KeyError as error:
            raise NotRun(f"{error} has no value") from error

    def poly(self, p: Poly) -> _Value:
        """A polynomial as a Python function."""
        known = self._polys.get(p)
        if known is None:
            known = self._polys[p] = self.value(from_poly(p))
        return known


class _Run:
    def __init__(self, interpreter: EffectInterpreter, path: Path, values: dict[str, Any], seed: int) -> None:
        self.interpreter, self.path, self.values = interpreter, path, values
        self.memory = _Reader(interpreter.function, seed, path.arrays)
        self.steps = 0
        self.fresh = 0
        self.sizes = {
            name: info.size for name, info in path.arrays.items()
            if info.size is not None and name not in interpreter.growing
        }
        self.new_in = {name: info.loops[-1].counter for name, info in path.arrays.items() if info.loops}

    def outcome(self) -> Outcome:
        self._define()
        conditions = [*self.path.conditions, *(a for a, _ in self.path.asserts)]
        if not all(self._holds(c) for c in conditions if not _reads(c)):
            raise NotRun("the path's conditions do not hold")
        self._block(sorted(self.path.effects, key=lambda e: e.order), 0)
        if not all(self._holds(c) for c in conditions if _reads(c)):
            raise NotRun("the path's conditions do not hold")
        outputs = {p.name for p in self.interpreter.function.params if p.pointer}
        written = {
            array: {index: versions[-1].value for index, versions in elements.items()}
            for array, elements in self.memory.versions.items()
            if array in outputs
        }
        result = self.path.result
        return Outcome(written, self._value(result) if result is not None else None)

    def obligations_hold(self) -> bool:
        self._define()
        return all(map(self._met, self.path.obligations))

    def _met(self, o: FoundObligation) -> bool:
        poly, type_ = o.obligation.poly, o.obligation.type
        read = [*poly.atoms().values(), *(a for x in o.loops for a in x.trip.atoms().values())]
        if any(map(_reads, read)) or (o.guard is not None and _reads(o.guard)):
            return True
        low, high = (0, math.inf) if type_ is None else (type_.min(), type_.max())
        met = (o.guard is None or self._holds(o.guard) for _ in self._iterations(o.loops))
        return all(low <= self._poly(poly) <= high for inside in met if inside)

    def _iterations(self, loops: Sequence[LoopInfo]) -> Iterator[None]:
        """Each iteration of a nest, while which the counters have their values."""
        if not loops:
            yield
            return
        for k in range(self._poly(loops[0].trip)):
            self.steps += 1
            if self.steps > _MOST_STEPS:
                raise NotRun("too many iterations")
            self.values[loops[0].counter] = k
            yield from self._iterations(loops[1:])
        self.values.pop(loops[0].counter, None)

    def _define(self) -> None:
        for name, p in self.path.defined.items():
            self.values[name] = self._poly(p)

    def _value(self, e: Expr) -> Any:
        try:
            return self.interpreter.value(e)(self.values, self.memory)
        except KeyError as error:
            raise NotRun(f"{error} has no value") from error

    def _integer(self, p: Poly) -> int:
        try:
            return int(self.interpreter.poly(p)(self.values, self.memory))
        except KeyError as error:
            raise NotRun(f"{error} has no value") from error

    def _holds(self, e: Expr) -> bool:
        return bool(self._value(e))

    def _poly(self, p: Poly) -> int:
        constant = p.constant_value()
        return constant if constant is not None else self._integer(p)

    def _block(self, effects: Sequence[Effect], depth: int) -> None:
        """Effects in the same iteration of their first `depth` loops."""
        at, entered = 0, set[str]()
        while at < len(effects):
            e = effects[at]
            if len(e.loops) == depth:
                self._store(e)
                at += 1
                continue
            counter = e.loops[depth].counter
            end = at
            while end < len(effects) and counter in effects[end].counters[depth : depth + 1]:
                end += 1
            if counter in entered:
                raise IllFormed(f"the effects of loop {counter} do not stand together (order {e.order})")
            entered.add(counter)
            self._loop(e.loops[depth], effects[at:end], depth)
            at = end

    def _loop(self, loop: LoopInfo, effects: Sequence[Effect], depth: int) -> None:
        memory = self.memory
        around = memory.counters, memory.turns
        for k in range(self._poly(loop.trip)):
            self.steps += 1
            self.fresh += 1
            if self.steps > _MOST_STEPS:
                raise NotRun("too many iterations")
            self.values[loop.counter] = k
            memory.counters, memory.turns = (*around[0], loop.counter), (*around[1], self.fresh)
            for name, counter in self.new_in.items():
                if counter == loop.counter:
                    memory.versions.pop(name, None)
            self._block(effects, depth + 1)
        memory.counters, memory.turns = around
        self.values.pop(loop.counter, None)

    def _store(self, e: Effect) -> None:
        if e.guard is None or self._holds(e.guard):
            index, size = self._poly(e.index), self.sizes.get(e.array)
            if size is not None and not 0 <= index < self._poly(size):
                raise Undefined(f"{e.array}[{index}] is stored to, of {self._poly(size)} elements")
            self.memory.store(e, index, self._value(e.value))


class _PathWriter(ExpressionWriter):
    """Python for the expressions of a path: variables by name, loads by time."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.types: dict[str, Type] = {}

    def variable(self, e: ir.Variable) -> str:
        if is_undefined(e.name):
            # It counts only where it is not used.
            return "0"
        return f"v[{e.name!r}]"

    def load(self, e: ir.Load, index: str) -> str:
        array, time = split_tag(e.name) if is_read(e) else (e.name, 0)
        name = f"t_{e.type}"
        self.types[name] = e.type
        return f"memory.load({array!r}, {time}, {index}, {name})"


def _reads(e: Expr) -> bool:
    return bool(loads(e))


def run_source(function: Function, values: Mapping[str, Any], seed: int = 0) -> Outcome:
    """The function itself on the same memory.  Raises NotRun where it has no meaning or takes too long."""
    arrays = {p.name: SampleMemory(p.name, p.type, seed) for p in function.params if p.pointer}
    addresses = {n: int(values.get(address_name(n), (k + 2) << 20)) for k, n in enumerate(arrays)}
    try:
        result = run_in(function, values, arrays, addresses, limit=_MOST_STEPS)
    except (UndefinedBehaviour, StepLimit) as error:
        raise NotRun(str(error)) from error
    return Outcome({n: m.written for n, m in arrays.items() if m.written}, result)


def difference(function: Function, a: Outcome, b: Outcome, seed: int = 0) -> str | None:
    """Where two runs from the same memory leave something else; None where they do not."""
    types = {p.name: p.type for p in function.params if p.pointer}
    for array in sorted(a.written.keys() | b.written.keys()):
        first, second = a.written.get(array, {}), b.written.get(array, {})
        for index in sorted(first.keys() | second.keys()):
            before = initial_value(array, types[array], index, seed)
            x, y = first.get(index, before), second.get(index, before)
            if not _same(x, y):
                return f"{array}[{index}] is {x} and {y}"
    return None if _same(a.result, b.result) else f"the results are {a.result} and {b.result}"


def _same(a: Any, b: Any) -> bool:
    return bool(a == b or (a != a and b != b))
