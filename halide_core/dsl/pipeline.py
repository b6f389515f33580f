"""Pipeline: one or several output Funcs compiled together."""

from __future__ import annotations

from typing import Any

from halide_core.errors import HalideError
from halide_core.function import Function
from halide_core.target import Target


class Pipeline:
    """The Funcs that are computed together, in order."""

    def __init__(self, outputs: Any) -> None:
        items = list(outputs) if isinstance(outputs, list | tuple) else [outputs]
        self._funcs = items
        for f in items:
            if not f.defined():
                raise HalideError(f"Func {f.name()} has no definition")

    def outputs(self) -> list[Any]:
        return list(self._funcs)

    def functions(self) -> list[Function]:
        """The output Functions as the compiler sees them."""
        return [f._function for f in self._funcs]

    def realize(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the outputs over a box of the given sizes, or into the given Buffers."""
        from halide_core.jit import realize

        target = kwargs.get("target") or next((a for a in args if isinstance(a, Target)), None)
        where: Any = next((a for a in args if not isinstance(a, Target)), [])
        return realize(self, where, target)

    def compile_jit(self, target: Target | None = None) -> None:
        from halide_core.jit import compiled

        compiled(self, target)
