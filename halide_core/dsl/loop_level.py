"""LoopLevel: a place in the loops of a Func, which may be given after it is used."""

from __future__ import annotations

from typing import Any

from halide_core.errors import HalideError
from halide_core.function import LevelHandle
from halide_core.function import LoopLevel as Place


def variable_name(var: Any) -> str:
    """The name of the loop that a Var, an RVar, an RDom of one dimension or a text stands for."""
    if isinstance(var, str):
        return var
    if hasattr(var, "dimensions"):
        if var.dimensions() != 1:
            raise HalideError(f"RDom {var.name()} has {var.dimensions()} dimensions; name one of them, as in .x")
        var = var[0]
    return str(var.name())


class LoopLevel(LevelHandle):
    """Loop `var` of `func`, in stage `stage_index` (-1: in whichever stage has it)."""

    def __init__(self, func: Any = None, var: Any = None, stage_index: int = -1) -> None:
        if func is None:
            super().__init__(known=False)
            return
        super().__init__(Place(func._function.name, variable_name(var), stage_index, func._function))

    def __repr__(self) -> str:
        return "<halide.LoopLevel>"

    @staticmethod
    def root() -> LoopLevel:
        out = LoopLevel()
        out.level, out.known = Place(), True
        return out

    @staticmethod
    def inlined() -> LoopLevel:
        out = LoopLevel()
        out.level, out.known = None, True
        return out

    def set(self, other: LoopLevel) -> None:
        self.level, self.known = other.level, other.known

    def stage_index(self) -> int:
        return self.level.stage if self.level is not None else -1
