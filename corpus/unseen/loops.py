"""The loops of a scheduled Func, and the directives that make them: vectors, strips, tiles, threads, tails."""

from __future__ import annotations

import random
from dataclasses import dataclass

from corpus.unseen.values import BITS

# Bits of a vector register of the machines that have AVX2.
_REGISTER = 256
_TAILS = (("", 55), ("GuardWithIf", 13), ("ShiftInwards", 6))
# Of vectors only: what they split is not split again, and no other thread stores what they blend with.
_OF_VECTORS = (("Predicate", 3), ("PredicateStores", 3), ("ShiftInwardsAndBlend", 2), ("RoundUpAndBlend", 2))


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop that other Funcs may be computed in: its variable as text, the axes that it goes along."""

    var: str
    axis: str
    serial: bool = True


def width(rng: random.Random, types: list[str]) -> int:
    """How many lanes a vector has: a register's worth of the values, or near it."""
    natural = _REGISTER // min(BITS[t] for t in types)
    return max(4, rng.choice((natural, natural, natural, natural // 2, 8, 16, natural * 2)))


def tail(rng: random.Random, extent: int, factor: int, output: bool, vectors: bool) -> str:
    """An argument that names a TailStrategy, mostly none, which is legal there; `vectors`: the inner loop is one."""
    choices = [*_TAILS, *(_OF_VECTORS if vectors else ())]
    if not output:
        choices = [*_TAILS, ("RoundUp", 22)]
    elif extent % factor == 0:
        choices.append(("RoundUp", 20))
    if output and extent < factor:
        choices = [("GuardWithIf", 1)]
    name = rng.choices([n for n, _ in choices], [w for _, w in choices])[0]
    return f", hl.TailStrategy.{name}" if name else ""


def update_tail(rng: random.Random) -> str:
    """Of an update, no iteration of which may run twice."""
    return rng.choice(("", "", "", ", hl.TailStrategy.GuardWithIf", ", hl.TailStrategy.RoundUp"))


class WholeFunc:
    """The pure definition of a Func that is computed as a whole: the output, or at the root."""

    def __init__(
        self, rng: random.Random, handle: str, dims: list[str], types: list[str], size: tuple[int, ...], output: bool,
        unrolled_channels: bool, keep: bool,
    ) -> None:
        """`keep`: y stays one loop, which updates share; `unrolled_channels`: c goes innermost."""
        self.rng, self.handle, self.dims, self.size, self.output = rng, handle, dims, size, output
        self.lanes = width(rng, types)
        self.lines: list[str] = []
        self.loops: list[Loop] = []
        self.inner_c = "c" in dims and unrolled_channels
        self.outer_c = [Loop("c", "c")] if "c" in dims and not unrolled_channels else []
        match "rows" if keep else rng.choice(("tiles", "tiles", "tiles", "strips", "strips", "rows", "fused tiles")):
            case "rows":
                self._rows()
            case "strips":
                self._strips()
            case "tiles":
                self._tiles(False)
            case _:
                self._tiles(True)

    def _say(self, text: str) -> None:
        self.lines.append(f"{self.handle}.{text}")

    def _order(self, *inner: str) -> None:
        if self.inner_c:
            self._say(f"bound(c, 0, 3).reorder(c, {', '.join(inner)}).unroll(c)")
        elif self.outer_c:
            self._say(f"reorder({', '.join(inner)}, c)")

    def _tail(self, axis: int, factor: int, vectors: bool = False) -> str:
        return tail(self.rng, self.size[axis], factor, self.output, vectors)

    def _rows(self) -> None:
        self._order("x", "y")
        self._say(f"vectorize(x, {self.lanes}{self._tail(0, self.lanes, True)})")
        self._say("parallel(y)")
        self.loops = [*self.outer_c, Loop("y", "y", False)]

    def _strips(self) -> None:
        rng = self.rng
        n = rng.choice((4, 8, 16, 32, 32, 64))
        self._say(f"split(y, yo, yi, {n}{self._tail(1, n)})")
        self._order("x", "yi", "yo")
        self._say(f"vectorize(x, {self.lanes}{self._tail(0, self.lanes, True)})")
        self._say("parallel(yo)")
        self.loops = [*self.outer_c, Loop("yo", "y", False), Loop("yi", "y")]
        self._unroll("yi", n)

    def _tiles(self, fused: bool) -> None:
        rng = self.rng
        tx = self.lanes * rng.choice((1, 2, 4, 4, 8, 16))
        ty = rng.choice((4, 8, 16, 32, 32, 64))
        tx = min(max(tx, 32), 512)
        tails = self._tail(0, tx), self._tail(1, ty)
        if tails[0] == tails[1]:
            self._say(f"tile(x, y, xo, yo, xi, yi, {tx}, {ty}{tails[0]})")
        else:
            self._say(f"split(x, xo, xi, {tx}{tails[0]}).split(y, yo, yi, {ty}{tails[1]}).reorder(xi, yi, xo, yo)")
        self._order("xi", "yi", "xo", "yo")
        lanes = min(self.lanes, tx)
        self._say(f"vectorize(xi, {lanes})" if tx > lanes else "vectorize(xi)")
        inner = [Loop("yi", "y")]
        if fused:
            self._say("fuse(xo, yo, t).parallel(t)")
            self.loops = [*self.outer_c, Loop("t", "xy", False), *inner]
        else:
            self._say("parallel(yo)")
            self.loops = [*self.outer_c, Loop("yo", "y", False), Loop("xo", "x"), *inner]
        self._unroll("yi", ty)

    def _unroll(self, var: str, extent: int) -> None:
        """Rows of a tile two or four at a time; then nothing is computed in the loop over single rows."""
        if self.rng.random() < 0.2:
            n = self.rng.choice((2, 4))
            self._say(f"unroll({var}, {n})" if extent > n else f"unroll({var})")
            self.loops = [loop for loop in self.loops if loop.var != var]


def part_of_tile(
    rng: random.Random, handle: str, dims: list[str], types: list[str], unrolled_channels: bool
) -> tuple[list[str], list[Loop]]:
    """Directives and loops of the pure definition of a Func that is computed in a loop of another."""
    lanes = width(rng, types)
    lines: list[str] = []
    loops = [Loop("y", "y")]
    if "c" in dims:
        if unrolled_channels:
            lines.append(f"{handle}.bound(c, 0, 3).reorder(c, x, y).unroll(c)")
        else:
            loops.insert(0, Loop("c", "c"))
    lines.append(f"{handle}.vectorize(x, {lanes}{tail(rng, 0, lanes, False, True)})")
    if rng.random() < 0.1:
        lines.append(f"{handle}.unroll(y, 2)")
        loops.pop()
    return lines, loops
