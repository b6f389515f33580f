"""Random kernels whose tables say where they read and write and how often loops run, as drop-ins measure them."""

from __future__ import annotations

from tests.soundness.expressions import Value, combine, read
from tests.soundness.writer import TYPES, Kernel, Writer

_TABLES = ["int32_t", "int32_t", "int16_t", "uint32_t", "int64_t", "uint16_t", "uint8_t"]


def tables(g: Writer) -> Kernel:
    """A gather, a scatter, sums over windows or spans of rows, at places from one table or two."""
    pick, chance = g.rng.choice, g.rng.random
    t = g.array("a", True, TYPES[:6])
    g.array("d", types=[t] if chance() < 0.4 else TYPES)
    low, high = pick([(0, 15), (-9, 20), (0, 0), (3, 22)])
    for name in "pq":
        kind = g.array(name, True, _TABLES)
        g.k.tables[name] = (low if kind.startswith("int") else max(low, 0), high)
    return g.done(pick([_gather, _gather, _scatter, _windows, _spans, _pairs])(g, t))


def _at(g: Writer, table: str, index: str) -> str:
    """A place from a table, or near it."""
    place = f"{table}[{index}]"
    if g.rng.random() < 0.4:
        further = f"({place} + {g.rng.randint(1, 4)})"
        place = g.rng.choice([further, f"({place} >> 1)", f"({place} * 2)", f"(int){place}"])
    return place


def _value(g: Writer, reads: list[str], t: str) -> str:
    atoms: list[Value] = [read(r, t) for r in reads]
    return combine(g.rng, atoms, 2, ["T"]).text


def _gather(g: Writer, t: str) -> str:
    pick = g.rng.choice
    inner = pick(["x", "x", f"y * {g.stride} + x", "2 * x"])
    place = pick([
        _at(g, "p", inner), f"(int){_at(g, 'q', 'y')} * {g.stride} + (int){_at(g, 'p', 'x')}",
        f"y * {g.stride} + (int){_at(g, 'p', inner)}",
    ])  # fmt: skip
    value = _value(g, [f"a[{place}]", f"a[y * {g.stride} + x]"], t)
    if g.rng.random() < 0.3:
        value = f"{pick(['p[x] > 3', 'q[y] < 7', 'a[x] & 1'])} ? {value} : {g.rng.randint(0, 9)}"
    return _rows(f"d[y * {g.stride} + x] = {value};")


def _scatter(g: Writer, t: str) -> str:
    kind = g.rng.choice(["=", "+=", "^="])
    value = _value(g, [f"a[{_at(g, 'q', 'x')}]", "a[x]"], t)
    return f"  for (int x = 0; x < w; x++) d[{_at(g, 'p', 'x')}] {kind} {value};\n"


def _windows(g: Writer, t: str) -> str:
    count = g.rng.choice(["(int)q[x]", "n", "n"])
    value = _value(g, [f"a[y * {g.stride} + first + k]"], t)
    body = f"for (int k = 0; k < {count}; k++) s += (uint32_t)({value});"
    start = "int first = (int)p[x], n = (int)q[x]; "
    return _rows(f"{{ {start}uint32_t s = {g.rng.randint(0, 3)}; {body} d[y * {g.stride} + x] = s; }}")


def _pairs(g: Writer, t: str) -> str:
    body = f"for (int k = 0; k < n; k++) s += (uint32_t)({_value(g, ['a[first + k]', 'a[k]'], t)});"
    start = "int first = (int)p[2 * x], n = (int)p[2 * x + 1]; "
    return _rows(f"{{ {start}uint32_t s = 0; {body} d[y * {g.stride} + x] = s; }}")


def _spans(g: Writer, t: str) -> str:
    one, other = "(int)p[y]", "(int)q[y]"
    first, last = g.rng.choice([(one, other), ("0", other), (one, "w"), ("1", f"{one} + 2")])
    less = g.rng.choice(["<", "<", "<="])
    value = _value(g, [f"a[y * {g.stride} + x]"], t)
    return (
        f"  for (int y = 0; y < h; y++)\n    for (int x = {first}; x {less} {last}; x++) "
        f"d[y * {g.stride} + x] {g.rng.choice(['=', '+='])} {value};\n"
    )


def _rows(body: str) -> str:
    return f"  for (int y = 0; y < h; y++)\n    for (int x = 0; x < w; x++) {body}\n"
