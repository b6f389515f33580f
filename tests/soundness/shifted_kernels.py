"""Random kernels with sizes and places that are shifted by parameters, and loops that end where a counter does."""

from __future__ import annotations

from tests.soundness.expressions import Value, combine, read
from tests.soundness.writer import TYPES, Kernel, Writer


def shifted(g: Writer) -> Kernel:
    """Sizes, blocks, samples taken nearer or further apart, and early ends.  Counts are from 0 to 3."""
    t = g.array("a", True)
    g.array("d", types=[t] if g.rng.random() < 0.4 else TYPES)
    g.scalar("s", 0, 3)
    g.scalar("t", 0, 3)
    return g.done(g.rng.choice([_sized, _sized, _sampled, _block, _ended])(g, t))


def _shrunk(g: Writer, size: str, count: str) -> str:
    """A size that is shifted down, rounded in some way."""
    return g.rng.choice([
        f"({size} >> {count})", f"(({size} + (1 << {count}) - 1) >> {count})", f"-((-{size}) >> {count})",
        f"(({size} + {count}) >> {count})", f"({size} >> ({count} + 1))", f"(({size} >> {count}) << {count})",
    ])  # fmt: skip


def _value(g: Writer, reads: list[str], t: str) -> str:
    atoms: list[Value] = [read(r, t) for r in reads]
    if g.rng.random() < 0.3:
        atoms.append(Value(g.rng.choice(["s", "t", "(1 << s)", "(1 << t)"]), 0, 8))
    return combine(g.rng, atoms, 2, ["T"]).text


def _sized(g: Writer, t: str) -> str:
    columns, rows = _shrunk(g, "w", "s"), g.rng.choice([_shrunk(g, "h", "t"), _shrunk(g, "h", "s"), "h"])
    at = f"y * {g.stride} + x"
    more = [g.rng.choice([f"d[{at}]", f"a[{at} + 1]"])] if g.rng.random() < 0.6 else []
    value = _value(g, [f"a[{at}]", *more], t)
    kind = g.rng.choice(["=", "=", "+=", "^="])
    return f"  int n = {columns}, m = {rows};\n" + _rows("m", "n", f"d[{at}] {kind} {value};")


def _sampled(g: Writer, t: str) -> str:
    row = g.rng.choice(["y", "(y >> t)", "(y >> s)"])
    column = g.rng.choice(["(x >> s)", "(x << s)", "((x + 1) >> s)", "(x >> t << t)", "(x << s) + 1"])
    value = _value(g, [f"a[{row} * {g.stride} + {column}]"], t)
    return _rows("h", "w", f"d[y * {g.stride} + x] = {value};")


def _block(g: Writer, t: str) -> str:
    width = g.rng.choice(["n", "(n << 1)", "(1 << s)"])
    pitch = g.rng.choice(["n", "16", g.stride])
    value = _value(g, [f"a[y * {g.stride} + x]", "a[n]", f"a[y * {g.stride}]"], t)
    place = g.rng.choice([f"y * {pitch} + x", f"(y << {'s' if width == '(1 << s)' else 't'}) + x"])
    start = "  if (w < 9 || h < 9) return;\n" if g.rng.random() < 0.5 else ""
    return f"{start}  int n = 1 << t;\n" + _rows("n", width, f"d[{place}] = {value};")


def _ended(g: Writer, t: str) -> str:
    g.scalar("p", -1, 12)
    end = g.rng.choice(["(x >> s) >= p", "(3 * x + 1) >> s > p", "x == p", "at > p", "(x << s) >= p"])
    jump = g.rng.choice(["break;", "return;", f"{{ d[x] = {g.rng.randint(0, 9)}; return; }}", "{ d[x] = at; break; }"])
    value = _value(g, ["a[x]"], t)
    after = g.rng.choice(["", "  d[40] = 3;\n"])
    return (
        f"  int at = 0;\n  for (int x = 0; x < w; x++) {{ at += 2; if ({end}) {jump} d[x] = {value}; }}\n{after}"
    )


def _rows(rows: str, columns: str, body: str) -> str:
    return f"  for (int y = 0; y < {rows}; y++)\n    for (int x = 0; x < {columns}; x++) {body}\n"
