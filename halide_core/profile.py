"""The times that compiled code with the target feature `profile` has kept, read from its memory."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from halide_core.backend.llvm_profile import FIELDS

_NEVER = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class FuncTime:
    """What one Func took: seconds of all threads together, without what is computed inside of its loops; how often it
    was computed; seconds of the clock at which it was first begun and last left."""

    func: str
    seconds: float
    count: int
    first: float
    last: float


class Profile:
    """The numbers of one loaded module, whose variable stands at `address`."""

    def __init__(self, names: tuple[str, ...], address: int) -> None:
        self.names = names
        self._numbers = (ctypes.c_uint64 * (FIELDS * len(names))).from_address(address)
        self.reset()

    def reset(self) -> None:
        """Forgets all runs; none may be under way."""
        for k in range(len(self.names)):
            self._numbers[FIELDS * k : FIELDS * (k + 1)] = [0, 0, _NEVER, 0]

    def times(self) -> list[FuncTime]:
        """What was kept since the last reset; Funcs that were never computed are left out."""
        out: list[FuncTime] = []
        for k, name in enumerate(self.names):
            spent, count, first, last = self._numbers[FIELDS * k : FIELDS * (k + 1)]
            if spent or count:
                begun = 0.0 if first == _NEVER else first * 1e-9
                out.append(FuncTime(name, spent * 1e-9, count, begun, last * 1e-9))
        return out
