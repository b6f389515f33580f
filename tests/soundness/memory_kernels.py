"""Random kernels that add up, scan and exchange in the caller's memory, with stores that meet or just do not."""

from __future__ import annotations

from tests.soundness.expressions import combine, read
from tests.soundness.writer import TYPES, Kernel, Writer

ROWS = ["y", "y", "y", "2 * y", "y + 1", "h - 1 - y", "y / 2", "w"]


def in_memory(g: Writer) -> Kernel:
    """A start, a loop that adds, what is done with the sum, and who reads it, each at a place of its own at times."""
    t = g.array("a", True, TYPES[:6])
    g.k.pointers["d"] = "uint32_t"
    pick, chance = g.rng.choice, g.rng.random
    two = chance() < 0.5  # one sum of each pixel, or of each row
    usual = f"y * {g.stride} + x" if two else pick(ROWS)

    def place(likely: float) -> str:
        if chance() < likely:
            return usual
        if two:
            beside = [f"y * {g.stride} + x + 1", f"y * {g.stride} + w - 1 - x", f"(y + 1) * {g.stride} + x"]
            return pick([*beside, "y", "x"])
        return pick([*ROWS, "y * 4 + k % 4", "y + k", f"a[y * {g.stride} + k] & 15", "k"])

    taps = pick(["w", "h", "3", "w - 1"])
    value = combine(g.rng, [read(f"a[y * {g.stride} + k]", t), read(f"a[{'x' if two else 'y'} + k]", t)], 2, ["T"]).text
    added = f"(uint32_t)({value})"
    if chance() < 0.15:
        added += f" + d[{place(0.3)}]"
    at = place(0.93)
    step = pick([f"d[{at}] += {added};", f"d[{at}] += {added};", f"d[{at}] = d[{place(0.85)}] * 3 + {added};",
                 f"d[{at}] ^= {added};", f"if ({added} > d[{at}]) d[{at}] = {added};"])  # fmt: skip
    start = place(0.9) if chance() < 0.8 else usual
    for k in ("k % 4", "+ k", "+ k]", "[k"):
        start = start.replace(k, k.replace("k", "0"))
    first = pick(["0", "0", "7", f"a[y * {g.stride}]"])
    lines = [f"d[{start if 'k' not in start else usual}] = {first};"] if chance() < 0.9 else []
    lines.append(f"for (int k = {pick(['0', '0', '1'])}; k < {taps}; k++) {step}")
    if chance() < 0.3:
        lines.append(f"d[{usual}] = d[{usual}] {pick(['>> 2', '/ 3', '* 5', '+ 1'])};")
    if chance() < 0.35:
        g.array("e")
        other = place(0.8)
        read_at = other if "k" not in other else usual
        lines.append(f"e[{usual}] = d[{read_at}] / {g.rng.randint(1, 9)};")
    body = "\n      ".join(lines)
    loops = ["for (int y = 0; y < h; y++)"]
    if two:
        loops.append("for (int x = 0; x < w; x++)")
    if chance() < 0.1:
        loops.insert(g.rng.randint(0, len(loops)), "for (int z = 0; z < 3; z++)")
    return g.done(f"  {' '.join(loops)} {{\n      {body}\n  }}\n")


def scans(g: Writer) -> Kernel:
    """Rows and columns that go on from what was stored before, forwards and backwards, from a start of their own."""
    t = g.array("a", True, TYPES[:6])
    g.k.pointers["d"] = "uint32_t"
    pick, chance = g.rng.choice, g.rng.random
    pitch = pick([g.stride, g.stride, f"({g.stride} + 1)"])

    def at(x: str, y: str = "y") -> str:
        return f"d[{y} * {pitch} + {x}]"

    source = f"a[y * {g.stride} + x]"
    value = f"(uint32_t)({combine(g.rng, [read(source, t)], 2, ['T']).text})"
    lines = []
    if chance() < 0.8:
        lines.append(f"{at(pick(['0', '0', '0', '1', 'w']))} = {pick(['0', 'a[y]', '5'])};")
    shift = pick(["- 1", "- 1", "- 1", "- 2", "+ 1"])
    beside = [at(f"x {shift}"), at(f"x {shift}"), at("x", "(y - 1)"), f"{at('x - 1')} + {at('x', '(y - 1)')}"]
    lines.append(f"for (int x = {pick(['1', '1', '0', '2'])}; x < {pick(['w', 'w', 'w + 1'])}; x++) "
                 f"{at('x')} = {pick(beside)} + {value};")  # fmt: skip
    if chance() < 0.5:
        back = pick([at("x + 1"), at("x + 1"), at("x - 1"), at("w - 1 - x")])
        lines.append(f"for (int x = w - {pick('122')}; x >= 0; x--) {at('x')} = {at('x')} * 3 + {back};")
    if chance() < 0.3:
        g.rng.shuffle(lines)
    body = "\n    ".join(lines)
    above = f"  for (int x = 0; x <= w; x++) d[x] = {pick(['0', 'a[x]'])};\n" if chance() < 0.4 else ""
    rows = f"for (int y = {pick(['0', '1', '1'])}; y < {pick(['h', 'h', 'h + 1'])}; y++)"
    return g.done(f"{above}  {rows} {{\n    {body}\n  }}\n")


def exchanges(g: Writer) -> Kernel:
    """Two elements exchanged in place: channels of a pixel, both ends of a row, rows from top and bottom."""
    t = g.array("d")
    pick, chance = g.rng.choice, g.rng.random
    pixel = pick([2, 3, 3, 4])
    half = pick(["/ 2", "/ 2", "/ 2", "- 1", ""])
    kind = pick(["channels", "row", "rows", "turn", "planes"])
    rows, columns = "h", "w"
    if kind == "channels":
        one, other = (f"y * {g.stride} + x * {pixel} + {c}" for c in g.rng.sample(range(pixel), 2))
    elif kind == "row":
        one, other, columns = f"y * {g.stride} + x", f"y * {g.stride} + w - {pick('1112')} - x", f"w {half}"
    elif kind == "rows":
        one, other, rows = f"y * {g.stride} + x", f"(h - {pick('1112')} - y) * {g.stride} + x", f"h {half}"
    elif kind == "turn":
        one, other, rows = f"y * {g.stride} + x", f"(h - 1 - y) * {g.stride} + w - 1 - x", f"h {half}"
    else:
        rows = "h / 2"
        one, other = f"y * {g.stride} + x", f"(y + {pick(['h / 2', '10', '10', '3'])}) * {g.stride} + x"
    change = pick(["{}", "{}", "{} / 2", "T[{} & 15]"])
    a, b = change.format(f"d[{other}]"), pick(["t", "t", "t", "t + 1"])
    stores = f"d[{one}] = {a}; d[{other}] = {b};"
    lines = f"{t} t = d[{one}]; " + (f"if (t > 9) {{ {stores} }}" if chance() < 0.1 else stores)
    return g.done(f"  for (int y = 0; y < {rows}; y++)\n    for (int x = 0; x < {columns}; x++) {{ {lines} }}\n")


def together(g: Writer) -> Kernel:
    """Several images that are read and stored in one iteration: values exchanged, or read ahead of where they are
    stored."""
    pick, chance = g.rng.choice, g.rng.random
    names = g.rng.sample("abcd", g.rng.randint(2, 4))
    types = {n: g.array(n) for n in names}
    ahead = pick([[""], [""], ["", " + 1"], ["", " + 1", " + 2"], ["", f" + {g.stride}"]])
    here, lines = f"y * {g.stride} + x", []
    for k, n in enumerate(names):
        reads = [f"{m}[{here}{pick(ahead)}]" for m in g.rng.sample(names, g.rng.randint(1, 2))]
        value = combine(g.rng, [read(r, types[r[0]]) for r in reads], 2, ["T"]).text
        lines.append(f"{types[n]} t{k} = {value};" if chance() < 0.7 else f"{n}[{here}] = {value};")
    stores = [f"{n}[{here}] = t{k};" for k, n in enumerate(names) if lines[k].startswith(types[n])]
    g.rng.shuffle(stores)
    body = "\n      ".join(lines + stores)
    return g.done(f"  for (int y = 0; y < h; y++)\n    for (int x = 0; x < w; x++) {{\n      {body}\n    }}\n")
