"""Random pipelines of what autoschedulers treat specially: histograms, sums over the image, scans, matrix products,
transposes, grids, tables, channels, chains of stencils."""

from __future__ import annotations

import random

_TYPES = {"u8": "hl.UInt(8)", "u16": "hl.UInt(16)", "i32": "hl.Int(32)", "u32": "hl.UInt(32)", "f32": "hl.Float(32)"}
_PLANE = ("x", "y")


class Reductions:
    """The text of a random pipeline over planes of `width` by `height`, the extents of its reductions."""

    def __init__(self, rng: random.Random, width: int, height: int) -> None:
        self.rng, self.width, self.height = rng, width, height
        self.lines: list[str] = []
        # What later stages may read as a plane, as text of x and y, and its type.
        self.planes: list[tuple[str, str]] = []
        kinds = [
            self._stencil, self._stencil, self._pointwise, self._chain, self._histogram, self._sums, self._total,
            self._scan, self._scan, self._product, self._transposed, self._grid, self._convolution, self._channels,
            self._resampled, self._filtered, self._extremes,
        ]
        self.count = 0
        for _ in range(rng.choice([1, 2, 2, 3, 3, 4, 5])):
            rng.choice(kinds)()
        self._output()

    def _name(self) -> str:
        self.count += 1
        return f"f{self.count - 1}"

    def _func(self, args: str, value: str, plane: str = "", type_: str = "") -> str:
        """A new Func; `plane`: how it is read as a plane, from `{f}`, {x} and {y}."""
        name = self._name()
        self.lines += [f'{name} = hl.Func("{name}")', f"{name}[{args}] = {value}"]
        if plane:
            self.planes.append((plane.replace("{f}", name), type_))
        return name

    def _domain(self, *ranges: tuple[int, int]) -> str:
        self.count += 1
        self.lines.append(f"r{self.count} = hl.RDom([{', '.join(map(str, ranges))}])")
        return f"r{self.count}"

    # -- values

    def _type(self) -> str:
        return self.rng.choice(["u8", "u16", "i32", "i32", "u32", "f32", "f32"])

    def _read(self, t: str, x: str = "x", y: str = "y") -> str:
        """A plane at a place, as a small value of type `t`."""
        rng = self.rng
        if not self.planes or rng.random() < 0.25:
            edge = f"hl.clamp({x}, 0, source.width() - 1), hl.clamp({y}, 0, source.height() - 1)"
            return f"hl.cast({_TYPES[t]}, source[{edge}])"
        plane, own = self.planes[-1] if rng.random() < 0.6 else rng.choice(self.planes)
        text = plane.replace("{x}", f"({x})").replace("{y}", f"({y})")
        # Sums of sums would leave the types whose overflow has no meaning.
        small = text if own == "u8" else f"hl.clamp({text}, 0, 255)" if own == "f32" else f"({text}) % 256"
        return f"hl.cast({_TYPES[t]}, {small})"

    def _bin(self, count: int, x: str, y: str) -> str:
        return f"hl.clamp({self._read('i32', x, y)} * {count} / 256, 0, {count - 1})"

    def _at(self, a: str) -> str:
        d = self.rng.randint(-2, 2)
        return f"{a} + {d}" if d else a

    # -- kinds of stages

    def _pointwise(self) -> None:
        t = self._type()
        self._func("x, y", f"{self._read(t)} {self.rng.choice('+-*')} {self._read(t)}", "{f}[{x}, {y}]", t)

    def _stencil(self) -> None:
        t = self._type()
        taps = [self._read(t, self._at("x"), self._at("y")) for _ in range(self.rng.randint(2, 5))]
        self._func("x, y", " + ".join(taps), "{f}[{x}, {y}]", t)

    def _chain(self) -> None:
        """Stencils of the one before, of one type."""
        t = self._type()
        read = self._read(t)
        name = self._func("x, y", read, "{f}[{x}, {y}]", t)
        for _ in range(self.rng.randint(2, 5)):
            a, b = (self.rng.choice(["x, y", "x - 1, y", "x, y + 1", "x + 1, y + 1"]) for _ in range(2))
            name = self._func("x, y", f"hl.max({name}[{a}], {name}[{b}])", "{f}[{x}, {y}]", t)

    def _histogram(self) -> None:
        count, rng = self.rng.choice([4, 16, 100, 256]), self.rng
        name = self._func("x", "hl.cast(hl.UInt(32), 0)")
        r = self._domain((rng.randint(0, 2), self.width), (0, self.height))
        weight = "1" if rng.random() < 0.6 else self._read("u32", f"{r}.x", f"{r}.y")
        self.lines.append(f"{name}[{self._bin(count, f'{r}.x', f'{r}.y')}] += hl.cast(hl.UInt(32), {weight})")
        if rng.random() < 0.5:
            table, s = self._func("x", f"{name}[x]"), self._domain((1, count - 1))
            self.lines.append(f"{table}[{s}.x] = {table}[{s}.x - 1] + {name}[{s}.x]")
            name = table
        self._func("x, y", f"{name}[{self._bin(count, 'x', 'y')}]", "{f}[{x}, {y}]", "u32")

    def _sums(self) -> None:
        """Of each row or each column."""
        t, rng = self._type(), self.rng
        along_x = rng.random() < 0.5
        kept = "y" if along_x else "x"
        name = self._func(kept, f"hl.cast({_TYPES[t]}, {rng.randint(0, 3)})")
        r = self._domain((rng.randint(-1, 1), self.width if along_x else self.height))
        value = self._read(t, f"{r}.x", "y") if along_x else self._read(t, "x", f"{r}.x")
        if rng.random() < 0.3:
            self.lines.append(f"{r}.where({r}.x % 3 != {kept} % 3)")
        self.lines.append(f"{name}[{kept}] {rng.choice(['+', '+', '-'])}= {value}")
        self.planes.append((f"{name}[{{{kept}}}]", t))

    def _total(self) -> None:
        t, rng = self._type(), self.rng
        r = self._domain((0, self.width), (0, self.height))
        value = self._read(t, f"{r}.x", f"{r}.y")
        what = rng.choice(["sum", "maximum", "minimum"])
        name = self._name()
        self.lines += [f'{name} = hl.Func("{name}")', f"{name}[()] = hl.{what}({r}, {value})"]
        self.planes.append((f"{name}[()]", t))

    def _scan(self) -> None:
        """Along rows or columns, forwards, backwards, or both."""
        t, rng = self._type(), self.rng
        name = self._func("x, y", self._read(t))
        along_x = rng.random() < 0.5
        extent = self.width if along_x else self.height
        for way in rng.choice([[1], [1], [-1], [1, -1]]):
            r = self._domain((1, extent - 1))
            here = f"{r}.x" if way > 0 else f"{extent - 1} - {r}.x"
            before = f"{here} - {way}" if way > 0 else f"{extent} - {r}.x"
            a, b = ((f"{p}, y" if along_x else f"x, {p}") for p in (here, before))
            other = self._read(t, here, "y") if along_x else self._read(t, "x", here)
            own = f"{name}[{b}]"
            if t == "f32":
                value = f"{own} * hl.f32(0.5) + {name}[{a}]"
            elif rng.random() < 0.3:
                value = f"hl.max({own}, {name}[{a}])"
            else:
                value = f"{own if t == 'u8' else f'{own} % 1000'} + {other}"
            self.lines.append(f"{name}[{a}] = {value}")
        self.planes.append((f"{name}[{{x}}, {{y}}]", t))

    def _product(self) -> None:
        t = self._type()
        name = self._func("x, y", f"hl.cast({_TYPES[t]}, 0)")
        r = self._domain((0, self.rng.choice([7, 16, 33])))
        self.lines.append(f"{name}[x, y] += {self._read(t, f'{r}.x', 'y')} * {self._read(t, 'x', f'{r}.x')}")
        self.planes.append((f"{name}[{{x}}, {{y}}]", t))

    def _transposed(self) -> None:
        t = self._type()
        self._func("x, y", self._read(t, "y", "x"), "{f}[{x}, {y}]", t)

    def _grid(self) -> None:
        """Sums of blocks by value, as the bilateral grid has them, read between its points."""
        rng = self.rng
        step, bins = rng.choice([2, 4, 8]), rng.choice([3, 8])
        t = rng.choice(["u16", "i32", "f32"])
        name = self._func("x, y, c", f"hl.cast({_TYPES[t]}, 0)")
        r = self._domain((0, step), (0, step))
        x, y = (f"{a} * {step} + {r}.{a}" for a in _PLANE)
        self.lines.append(f"{name}[x, y, {self._bin(bins, x, y)}] += {self._read(t, x, y)}")
        blurred = self._func("x, y, c", f"{name}[x - 1, y, c] + {name}[x + 1, y, c] + {name}[x, y, c]")
        self._func(
            "x, y", f"{blurred}[x / {step}, y / {step}, {self._bin(bins, 'x', 'y')}]", "{f}[{x}, {y}]", t
        )

    def _convolution(self) -> None:
        t, rng = self._type(), self.rng
        name = self._func("x, y", f"hl.cast({_TYPES[t]}, 0)")
        r = self._domain((-2, rng.choice([3, 5])), (-1, rng.choice([1, 3])))
        weight = self._func("x, y", f"hl.cast({_TYPES[t]}, x * x + hl.abs(y))")
        self.lines.append(f"{name}[x, y] += {self._read(t, f'x + {r}.x', f'y + {r}.y')} * {weight}[{r}.x, {r}.y]")
        self.planes.append((f"{name}[{{x}}, {{y}}]", t))

    def _channels(self) -> None:
        t, rng = self._type(), self.rng
        order = rng.choice(["x, y, c", "c, x, y"])
        value = f"{self._read(t, 'x + c', 'y')} + {self._read(t, 'x', 'y + c')}"
        name = self._func(order, f"hl.cast({_TYPES[t]}, {value})")
        for _ in range(rng.randint(0, 2)):
            a, b = (order.replace("x", rng.choice(["x", "x + 1"])) for _ in range(2))
            name = self._func(order, f"{name}[{a}] + {name}[{b}]")
        at = [order.replace("c", str(c)).replace("x", "{x}").replace("y", "{y}") for c in range(3)]
        self.planes.append((" + ".join(f"{name}[{a}]" for a in at[: rng.choice([2, 3, 3])]), t))

    def _resampled(self) -> None:
        t, rng = self._type(), self.rng
        down = self._func("x, y", f"{self._read(t, '2 * x', '2 * y')} + {self._read(t, '2 * x + 1', '2 * y')}")
        if rng.random() < 0.5:
            down = self._func("x, y", f"{down}[2 * x, 2 * y + 1]")
            self._func("x, y", f"{down}[x / 4, y / 4]", "{f}[{x}, {y}]", t)
        else:
            self._func("x, y", f"{down}[x / 2, y / 2] + {down}[(x + 1) / 2, y / 2]", "{f}[{x}, {y}]", t)

    def _filtered(self) -> None:
        """A median or a rank of what lies around, by comparisons."""
        t = self._type()
        a, b, c = (self._read(t, self._at("x"), self._at("y")) for _ in range(3))
        self._func("x, y", f"hl.max(hl.min({a}, {b}), hl.min(hl.max({a}, {b}), {c}))", "{f}[{x}, {y}]", t)

    def _extremes(self) -> None:
        """The greatest of a window, and where it is."""
        t, rng = self._type(), self.rng
        r = self._domain((-1, rng.choice([2, 4])), (0, rng.choice([1, 2])))
        value = self._read(t, f"x + {r}.x", f"y + {r}.y")
        if rng.random() < 0.5:
            self._func("x, y", f"hl.maximum({r}, {value})", "{f}[{x}, {y}]", t)
        else:
            self._func("x, y", f"hl.argmin({r}, {value})[0]", "{f}[{x}, {y}]", "i32")

    def _output(self) -> None:
        t = self._type()
        value = self._read(t)
        if self.rng.random() < 0.5:
            value += f" + {self._read(t, self._at('x'), 'y')}"
        self.lines += ['output = hl.Func("output")', f"output[x, y] = {value}"]
