"""Random definitions: stencils, resampling, tables, reductions, scans and scatters over all types."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

INTEGERS = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"]
FLOATS = ["f16", "f32", "f64"]
_TYPES = {
    **{t: f"hl.{'UInt' if t[0] == 'u' else 'Int'}({t[1:]})" for t in INTEGERS},
    **{t: f"hl.Float({t[1:]})" for t in FLOATS},
    "bool": "hl.Bool()",
}


@dataclass(slots=True)
class Update:
    """A further definition of a stage: its pure dimensions and its domain's (name, extent), inner first."""

    pure: list[str]
    domain: list[tuple[str, int]]
    # Whether its iterations may run in any order and be split over accumulators, and exactly so.
    associative: bool
    scan: bool = False


@dataclass(slots=True)
class StageInfo:
    """What a schedule must know of a stage."""

    name: str
    types: list[str]
    dims: list[str]
    callees: set[int] = field(default_factory=set)
    updates: list[Update] = field(default_factory=list)
    # How often a chain of reads below doubles the coordinates.
    doublings: int = 0


class Definitions:
    """The text of a random pipeline, stage by stage."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.stages: list[StageInfo] = []
        self.domains = 0
        count = rng.choice([2, 3, 3, 4, 4, 5, 6, 7, 8, 10, 12])
        for k in range(count):
            self._stage(k, k == count - 1)
        self.lines.append(f"output = f{count - 1}")

    def _stage(self, k: int, last: bool) -> None:
        rng = self.rng
        dims = ["x", "y"] if last else rng.choice([["x", "y"]] * 7 + [["x", "y", "c"], ["x", "y", "c"], ["x"]])
        types = [self._type()]
        if not last and rng.random() < 0.08:
            types.append(self._type())
        info = StageInfo(f"f{k}", types, dims)
        self.stages.append(info)
        self.lines.append(f'f{k} = hl.Func("f{k}")')
        values = [self._expression(k, t) for t in types]
        left = f"f{k}[{', '.join(dims)}]"
        self.lines.append(f"{left} = " + ", ".join(values))
        while len(types) == 1 and types[0] != "bool" and rng.random() < 0.3:
            self._update(k, types[0], last)

    def _type(self) -> str:
        return self.rng.choice(INTEGERS * 3 + FLOATS * 2 + ["f32", "f32", "bool"])

    # -- updates

    def _update(self, k: int, t: str, last: bool) -> None:
        rng, info = self.rng, self.stages[k]
        left = ", ".join(info.dims)
        own = f"f{k}[{left}]"
        # An output has no room for what a scan or a scatter touches beside it.
        kind = rng.choice(["add", "add", "max", "pure", "where", *([] if last else ["scan", "scatter"])])
        if kind == "pure":
            self.lines.append(f"{own} = {self._combine(t, self._narrowed(t, own), self._operand(k, t))}")
            info.updates.append(Update(info.dims[:], [], False))
            return
        name = f"r{self.domains}"
        self.domains += 1
        if kind == "scan" and len(info.dims) > 1:
            extent = rng.randint(1, 9)
            self.lines.append(f"{name} = hl.RDom([({rng.randint(0, 2)}, {extent})])")
            at = [d for d in info.dims if d != "y"]
            here, before = (", ".join([at[0], y, *at[1:]]) for y in (f"{name}.x", f"{name}.x - 1"))
            value = self._narrowed(t, f"f{k}[{before}]") + " + " + self._operand(k, t, y=f"{name}.x")
            self.lines.append(f"f{k}[{here}] = {value}")
            info.updates.append(Update(at, [(f"{name}.x", extent)], False, scan=True))
            return
        extents = [rng.randint(1, 5), rng.randint(1, 3)]
        self.lines.append(
            f"{name} = hl.RDom([({rng.randint(-1, 1)}, {extents[0]}), ({rng.randint(-1, 1)}, {extents[1]})])"
        )
        domain = [(f"{name}.x", extents[0]), (f"{name}.y", extents[1])]
        shift = {"x": f"x + {name}.x", "y": f"y + {name}.y" if "y" in info.dims else f"{name}.y"}
        value = self._operand(k, t, **shift)
        exact = t not in FLOATS
        if kind == "scatter" and len(info.dims) > 1:
            # Only what is pure on the left may stand there: y is not.
            shift["y"] = f"{name}.y"
            value = self._operand(k, t, **shift)
            self.lines.append(f"f{k}[{', '.join(['x', self._index(k, 7, **shift), *info.dims[2:]])}] += {value}")
            pure = ["x", *info.dims[2:]]
            # Which element is touched depends on the data: several may meet, and sums of integers do not mind.
            info.updates.append(Update(pure, domain, exact))
            return
        if kind == "where":
            self.lines.append(f"{name}.where({name}.x {rng.choice(['+', '-'])} {name}.y < {rng.randint(0, 3)})")
        if kind == "max":
            self.lines.append(f"{own} = hl.max({own}, {value})")
            exact = True
        elif t in ("i32", "i64"):
            self.lines.append(f"{own} += {value} * {self._cast(t, f'{name}.x')}")
        else:
            self.lines.append(f"{own} += {value}")
        info.updates.append(Update(info.dims[:], domain, exact))

    # -- expressions

    def _cast(self, t: str, e: str) -> str:
        return f"hl.cast({_TYPES[t]}, {e})"

    def _narrowed(self, t: str, e: str) -> str:
        """`e` of a type whose overflow has no meaning, made small."""
        if t in ("i32", "i64"):
            return f"hl.clamp({e}, -50, 50)"
        if t in FLOATS:
            return f"hl.clamp({e}, -100, 100)"
        return e

    def convert(self, e: str, s: str, t: str) -> str:
        """`e` of type `s` as one of `t`, small enough that no conversion is undefined and no float rounds oddly."""
        if s == "bool":
            return e if t == "bool" else self._cast(t, e)
        if t == "bool":
            return f"{e} > 20"
        if s == t:
            return self._narrowed(t, e)
        if t in FLOATS or s in FLOATS or t in ("i32", "i64"):
            low = "0" if "u" in (s[0], t[0]) else "-50"
            e = f"hl.clamp({e}, {low}, 50)"
        elif self.rng.random() < 0.15:
            return f"hl.saturating_cast({_TYPES[t]}, {e})"
        return self._cast(t, e)

    def _index(self, k: int, top: int, **at: str) -> str:
        """A coordinate taken from data, from 0 to `top`."""
        return f"hl.clamp({self._operand(k, 'i32', **at)}, 0, {top})"

    def _operand(self, k: int, t: str, x: str = "x", y: str = "y") -> str:
        """A read of the source or of an earlier stage at shifted, scaled, mirrored or computed coordinates."""
        rng, info = self.rng, self.stages[k]
        dx, dy = rng.randint(-2, 2), rng.randint(-2, 2)
        if "y" not in info.dims and y == "y":
            y = str(rng.randint(0, 3))
        double = rng.random() < 0.12
        form = rng.randrange(8)
        if double:
            u, v = f"2 * ({x}) + {dx}", f"2 * ({y}) + {dy}"
        elif form == 0:
            u, v = f"({x}) / 2 + {dx}", y
        elif form == 1:
            u, v = f"{dx} - ({x})", f"{y} + {dy}"
        else:
            u, v = f"{x} + {dx}", f"{y} + {dy}"
        choices = [j for j in range(max(0, k - 3), k) if not double or self.stages[j].doublings < 2]
        if not choices or rng.random() < 0.2:
            if rng.random() < 0.03:
                return self._cast(t, f"({u}) % 100")
            edge = f"hl.clamp({u}, 0, source.width() - 1), hl.clamp({v}, 0, source.height() - 1)"
            return self.convert(f"source[{edge}]", "source", t) if t == "bool" else self._cast(t, f"source[{edge}]")
        j = rng.choice(choices)
        callee = self.stages[j]
        info.callees.add(j)
        info.doublings = max(info.doublings, callee.doublings + double)
        if rng.random() < 0.05 and k > 1:
            u = self._index(k, 15, x=x, y=y)
        places = {"x": u, "y": v, "c": "c" if "c" in info.dims else str(rng.randint(0, 2))}
        e = f"f{j}[{', '.join(places[d] for d in callee.dims)}]"
        n = rng.randrange(len(callee.types))
        if len(callee.types) > 1:
            e += f"[{n}]"
        return self.convert(e, callee.types[n], t)

    def _combine(self, t: str, a: str, b: str) -> str:
        """Two values in one: any operator of the type."""
        rng = self.rng
        choice = ["({a} + {b})", "({a} + {b})", "({a} - {b})", "hl.min({a}, {b})", "hl.max({a}, {b})"]
        cast = self._cast
        # The package makes a Tuple of the values of two Funcs, but not of an Expr.
        select = f"hl.select({{c}}, {cast(t, '{a}')}, {{b}})"
        choice.append(select)
        if t == "bool":
            choice = ["(({a}) & ({b}))", "(({a}) | ({b}))", "({a}) ^ ({b})", select]
        elif t in FLOATS:
            choice += ["({a} * {b})", "({a} / 3)", "hl.abs({a} - {b})", "hl.sqrt(hl.abs({a})) + {b}"]
            choice += ["hl.floor({a} / 2) + {b}"]
        else:
            n = rng.randint(1, 7)
            choice += ["({a} * {b})", "({a} / {b})", "({a} % {b})", f"({{a}} / {n} + {{b}})"]
            choice += [f"({{a}} % {n} - {{b}})", "(({a}) & ({b}))", "(({a}) ^ ({b}))"]
            choice += [f"(({{a}}) >> {cast('u' + t[1:], str(n))})", "hl.saturating_add({a}, {b})"]
            choice += ["hl.saturating_sub({a}, {b})", "hl.halving_add({a}, {b})", "hl.rounding_halving_add({a}, {b})"]
            choice += [cast(t, "hl.absd({a}, {b})")]
            if t[1:] != "64":
                wide = cast(t, f"(hl.widening_mul({{a}}, {{b}}) >> {cast('u' + str(2 * int(t[1:])), str(n))})")
                choice += [wide, cast(t, "((hl.widening_add({a}, {b}) + hl.widening_add({b}, {a})) / 3)")]
                saturated = f"hl.saturating_cast({_TYPES[t]}, hl.widening_sub({{a}}, {{b}}))"
                choice += [saturated if t[0] != "u" else saturated.replace("widening_sub", "widening_add")]
        made = rng.choice(choice).replace("{c}", self._condition(t, a, b))
        return made.replace("{a}", f"({a})").replace("{b}", f"({b})")

    def _condition(self, t: str, a: str, b: str) -> str:
        n = self.rng.randint(1, 4)
        dims = self.stages[-1].dims
        other = "y" if "y" in dims else "x"
        choices = [f"x % {n} == 1", f"x > {other}", f"hl.likely({other} < {n})"]
        if t != "bool":
            choices += [f"({a}) > ({b})", f"(({a}) == ({b})) | (x < {n})"]
        return self.rng.choice(choices)

    def _expression(self, k: int, t: str) -> str:
        rng = self.rng
        if rng.random() < 0.1 and t != "bool":
            name, what = f"r{self.domains}", rng.choice(["sum", "maximum", "minimum"])
            self.domains += 1
            self.lines.append(f"{name} = hl.RDom([(-1, {rng.randint(1, 4)}), (0, {rng.randint(1, 2)})])")
            row = f"y + {name}.y" if "y" in self.stages[k].dims else f"{name}.y"
            return f"hl.{what}({name}, {self._operand(k, t, x=f'x + {name}.x', y=row)})"
        e = self._operand(k, t)
        for _ in range(rng.randint(0, 3)):
            e = self._combine(t, self._narrowed(t, e) if len(e) < 400 else e, self._operand(k, t))
        return e
