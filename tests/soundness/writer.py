"""What a random C++ function is made with: its arrays, its scalars, and values over them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.soundness.expressions import Value, combine, read

TYPES = ["uint8_t", "uint8_t", "uint8_t", "int8_t", "uint16_t", "int16_t", "int32_t", "uint32_t"]


@dataclass(slots=True)
class Kernel:
    """A function: its text, the element types of its pointers, and the ranges of its scalars, both in order of the
    parameters.  `w` and `h` are at most 20, every stride lies between 4 * 20 + 8 and 100, so that 32 rows of 100
    elements on each side of a pointer are all that it touches."""

    name: str
    text: str = ""
    result: str = "void"
    pointers: dict[str, str] = field(default_factory=dict)
    scalars: dict[str, tuple[int, int]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    """Types of the scalars that are no `int`."""
    objects: bool = False
    """Whether it takes objects, which `call_<name>` makes of the pointers and the scalars: it is given the function
    before these.  The objects lie behind the pointer `o`."""
    tables: dict[str, tuple[int, int]] = field(default_factory=dict)
    """What lies behind pointers that say where others are read: the least and the greatest that it may be.  They are
    never the same memory as others."""


class Writer:
    def __init__(self, rng: random.Random, name: str) -> None:
        self.rng = rng
        self.k = Kernel(name)
        self.constant: set[str] = set()
        self.stride = rng.choice(["w", "stride", "stride"])

    def array(self, name: str, constant: bool = False, types: list[str] = TYPES) -> str:
        self.k.pointers[name] = self.rng.choice(types)
        if constant:
            self.constant.add(name)
        return self.k.pointers[name]

    def scalar(self, name: str, low: int, high: int) -> Value:
        self.k.scalars[name] = (low, high)
        return Value(name, low, high)

    def value(self, atoms: list[Value], depth: int = 3) -> str:
        return combine(self.rng, atoms, self.rng.randint(1, depth), ["T"]).text

    def done(self, body: str) -> Kernel:
        k = self.k
        k.scalars["w"] = (-1, 20)
        k.scalars["h"] = (-1, 20)
        if self.stride == "stride":
            k.scalars["stride"] = (88, 100)
        pointers = [f"{'const ' if p in self.constant else ''}{t}* {p}" for p, t in k.pointers.items()]
        pointers += [f"{k.kinds.get(s, 'int')} {s}" for s in k.scalars]
        k.text = f'extern "C" {k.result} {k.name}({", ".join(pointers)}) {{\n{body}}}\n'
        return k

    def atoms(self, sources: list[str], index: str, spread: bool = False) -> list[Value]:
        """Elements of the sources at an index, and beside it where there is room."""
        out: list[Value] = []
        for s in sources:
            for _ in range(self.rng.randint(1, 3) if spread else 1):
                step = self.rng.randint(-2, 2) if spread else 0
                out.append(
                    read(
                        f"{s}[{index}{f' + {step}' if step > 0 else f' - {-step}' if step else ''}]", self.k.pointers[s]
                    )
                )
        return out


def range_of(t: str) -> tuple[int, int]:
    v = read("v", t)
    return v.low, v.high
