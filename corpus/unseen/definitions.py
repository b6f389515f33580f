"""A pipeline as it grows, stage by stage, as text over a module `hl`."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from corpus.unseen.stage import Access, Plane, Read, Stage, Update
from corpus.unseen.values import Value

SOURCE = "source"
_OPERATORS = re.compile(r" [-+*/%&^<>]|>>|<|>|hl\.(?:min|max|select|clamp|abs|absd|lerp)\b")
_DEAR = re.compile(r"hl\.(?:exp|pow|sin|log|sqrt|sum|maximum|minimum|argmax|argmin)\b")


class Definitions:
    """Stages, and the planes that later ones may read.  What `read` hands out belongs to the next definition made."""

    def __init__(self, rng: random.Random, size: tuple[int, int]) -> None:
        self.rng, self.size = rng, size
        self.stages: list[Stage] = []
        self.planes: list[Plane] = []
        self.used: set[str] = set()
        self._reads: dict[str, Read] = {}
        self._scale, self._reach, self._exact = 1.0, 0.0, True
        self._count = 0
        # Of the last definition: its values, and whether both modules compute the same bits.
        self._last: Sequence[Value] = ()
        self._exactly = True

    # -- reading

    def pick(self, wanted: Callable[[Plane], bool] = lambda p: True) -> Plane | None:
        """A plane to read, mostly the last one or one that nothing reads yet; None where none is wanted."""
        found = [p for p in self.planes if wanted(p)]
        if not found:
            return None
        unused = [p for p in found if p.func not in self.used]
        chance = self.rng.random()
        if chance < 0.5:
            return found[-1]
        return self.rng.choice(unused) if unused and chance < 0.75 else self.rng.choice(found[-6:])

    def read(
        self, p: Plane, x: str = "x", y: str = "y", c: str = "c", access: Access | None = None, by: int = 0
    ) -> Value:
        """The plane's value at a place, at most `by` of its pixels away from the own one."""
        if access is None:
            access = "point" if (x, y) == ("x", "y") else "stencil"
        if p.func in self._reads:
            self._reads[p.func].and_also(access)
        else:
            self._reads[p.func] = Read(access)
        self.used.add(p.func)
        self._scale, self._exact = max(self._scale, p.scale), self._exact and p.exact
        self._reach = max(self._reach, p.reach + by * p.scale)
        return p.at(x, y, c)

    def near(self, p: Plane, dx: int, dy: int, c: str = "c") -> Value:
        """The plane's value at a distance."""
        return self.read(p, moved("x", dx), moved("y", dy), c, by=max(abs(dx), abs(dy)))

    def put_off(self) -> dict[str, Read]:
        """Takes away what has been read since the last definition, for `resume`."""
        reads, self._reads = self._reads, {}
        return reads

    def resume(self, reads: dict[str, Read]) -> None:
        """What was put off belongs to the next definition after all."""
        self._reads = reads

    def forget(self) -> None:
        """Drops what has been read since the last definition."""
        self._reads, self._scale, self._reach, self._exact = {}, 1.0, 0.0, True

    # -- defining

    def name(self, kind: str) -> str:
        """A new name."""
        self._count += 1
        return f"{kind}_{self._count}"

    def stage(
        self, kind: str, dims: Sequence[str], values: Sequence[Value], size: tuple[int, ...],
        before: Sequence[str] = (),
    ) -> Stage:
        """A new Func; `before`: lines that its definition needs."""
        name = self.name(kind)
        right = values[0].text if len(values) == 1 else f"({', '.join(v.text for v in values)})"
        lines = [*before, f'{name} = hl.Func("{name}")', f"{name}[{', '.join(dims)}] = {right}"]
        cost = len(_OPERATORS.findall(right)) + 8 * len(_DEAR.findall(right)) + 1
        made = Stage(name, list(dims), [v.type for v in values], size, lines, self._reads, cost)
        self.stages.append(made)
        self._last = values
        self._exactly = self._exact
        self._reads = {}
        return made

    def update(self, s: Stage, line: str, update: Update, before: Sequence[str] = ()) -> None:
        """A further definition of the last stage."""
        s.lines += [*before, line]
        s.cost += 4 * len(update.domain)
        update.reads, self._reads = self._reads, {}
        update.reads.pop(s.name, None)
        self._exactly = self._exactly and self._exact
        s.updates.append(update)

    def done(
        self, s: Stage, size: tuple[int, int], scale: float | None = None,
        interval: tuple[float, float] | None = None,
    ) -> None:
        """Later stages may read `s`; `interval` holds its values where updates change them."""
        channels = "c" in s.dims
        for n, v in enumerate(self._last):
            low, high = interval or (v.low, v.high)
            element = n if len(self._last) > 1 else None
            reach = self._reach + 2 * self._scale
            made = Plane(
                s.name, v.type, low, high, size, channels, element, scale or self._scale, reach, self._exactly
            )
            self.planes.append(made)
        self.forget()

    def plane(self, kind: str, p: Plane, *values: Value, before: Sequence[str] = ()) -> None:
        """A stage of the same size as a plane, with its channels."""
        s = self.stage(kind, ["x", "y", "c"] if p.channels else ["x", "y"], values, self.extents(p), before)
        self.done(s, p.size, p.scale)

    @staticmethod
    def extents(p: Plane) -> tuple[int, ...]:
        """Of each dimension, as far as a plane is wanted."""
        return (*p.size, 3) if p.channels else p.size

    def domain(self, *ranges: tuple[int, int]) -> tuple[str, str]:
        """A new reduction domain: its name, and the line that makes it."""
        name = self.name("r")
        return name, f"{name} = hl.RDom([{', '.join(map(str, ranges))}])"


def moved(name: str, by: int) -> str:
    """A variable and a distance."""
    return name if by == 0 else f"{name} {'+' if by > 0 else '-'} {abs(by)}"
