"""Random kernels whose conditions on coordinates say what is read and stored: images put onto others, neighbours that
there are, coordinates in floating point."""

from __future__ import annotations

from tests.soundness.expressions import Value, combine, read
from tests.soundness.writer import TYPES, Kernel, Writer


def placed(g: Writer) -> Kernel:
    """A store, a read, or both, at shifted places, where comparisons say that they lie inside, and maybe the data."""
    pick, chance = g.rng.choice, g.rng.random
    t = g.array("a", True, TYPES[:6])
    g.array("d")
    g.scalar("p", -9, 9)
    g.scalar("q", *pick([(-9, 9), (0, 20), (-40, 40)]))
    i = pick(["x + p", "x - p", "x + p", "p - x", "x * 2 - p", "x + (y * q >> 3)", "x + y - q", "(x * q + p) >> 2", "x"])
    j = pick(["y + q", "y - q", "y", "y", "h - 1 - y + p", "(y * 5 + p) / 3"])
    wide, high = pick(["w", "w", "q", "w - 1"]), pick(["h", "h", "p"])
    low = pick(["0", "0", "0", "1", "p"])
    tests = [f"i >= {low}", f"i < {wide}", "j >= 0", f"j < {high}"]
    if chance() < 0.2:  # one end is open: what is read there is there all the same
        tests.pop(g.rng.randrange(4))
    if chance() < 0.25:
        tests[0] = pick([f"(unsigned)i < (unsigned)({wide})", "i != 3", "i * i + j * j < 90", "(i & 3) != 1"])
    if chance() < 0.3:
        tests.insert(g.rng.randint(0, len(tests)), pick(["a[y * 96 + x] > 40", f"a[y * 96 + x] < {wide}", "(x ^ y) & 1"]))
    inside, there = " && ".join(tests), pick([f"a[j * {g.stride} + i]", f"a[j * {g.stride} + i]", "a[j * 96 + x]"])
    value = combine(g.rng, [read(there, t), read(f"a[y * {g.stride} + x]", t)] if chance() < 0.3 else [read(there, t)], 2, ["T"]).text
    here, moved = f"d[y * {g.stride} + x]", f"d[j * {g.stride} + i]"
    other = pick(["0", "7", f"a[y * {g.stride} + x]", here])
    store = pick([
        f"{here} = {inside} ? {value} : {other};", f"if ({inside}) {here} = {value};",
        f"if ({inside}) {moved} = {value};" if i in ("x + p", "x - p") and j in ("y + q", "y - q", "y") else f"if ({inside}) {here} += 3;",
        f"if ({inside}) {here} = {value}; else {here} = {other};",
        f"if ({inside}) {{ int v = {value}; if (v > 60) {here} = v; }}",
        f"if (!({inside})) continue; {here} = {value};",
    ])  # fmt: skip
    extra = pick(["", "", "", f" e[y * {g.stride} + x] = i;"])
    if extra:
        g.array("e", types=["int32_t"])
    return g.done(
        f"  for (int y = 0; y < h; y++)\n    for (int x = 0; x < w; x++) {{\n      int i = {i}, j = {j};\n"
        f"      {store}{extra}\n    }}\n"
    )


def counted(g: Writer) -> Kernel:
    """Histograms and tables in the caller's memory, as many bins as a parameter or the data say."""
    pick = g.rng.choice
    t = g.array("a", True, ["uint8_t", "uint16_t", "int16_t"])
    g.array("d", types=["uint32_t", "int32_t"])
    g.scalar("p", -2, 90)
    at = pick([f"a[y * {g.stride} + x]", f"a[y * {g.stride} + x] & 63", f"a[y * {g.stride} + x] >> 3", f"a[y * {g.stride} + x] - p"])
    test = pick(["i < p", "i >= 0 && i < p", "i < 90 && i > 2", "i >= 0 && i < 64 && x > 2", "i >= p && i < 90 && (i & 1)"])
    if t == "int16_t" or "- p" in at:
        test = f"i >= 0 && {test}"
    if "p" in test and "i < p" not in test:
        test += " && i >= 0"
    change = pick(["d[i]++;", "d[i] += x;", "d[i] += 2;", "if (d[i] < 9) d[i]++;"])
    return g.done(
        f"  for (int y = 0; y < h; y++)\n    for (int x = 0; x < w; x++) {{\n      int i = {at};\n"
        f"      if ({test}) {change}\n    }}\n"
    )


def neighbours(g: Writer) -> Kernel:
    """Passes over an image in place, or from another one, that go on from neighbours where there are any."""
    pick, chance = g.rng.choice, g.rng.random
    t = g.array("a", True, TYPES[:4])
    g.k.pointers["d"] = pick(["uint32_t", "uint8_t", "uint16_t"])
    s, back = g.stride, chance() < 0.3
    near = [("x > 0", f"y * {s} + x - 1"), ("y > 0", f"(y - 1) * {s} + x"), ("x > 0 && y > 0", f"(y - 1) * {s} + x - 1"),
            ("y > 0 && x < w - 1", f"(y - 1) * {s} + x + 1"), ("x > 1", f"y * {s} + x - 2"), ("x", f"y * {s} + x - 1"),
            ("y != 0", f"(y - 1) * {s} + x")]  # fmt: skip
    if back:
        near = [("x < w - 1", f"y * {s} + x + 1"), ("y + 1 < h", f"(y + 1) * {s} + x"), ("x + 1 < w && y + 1 < h", f"(y + 1) * {s} + x + 1")]
    own, kind = f"d[y * {s} + x]", chance()
    chosen = g.rng.sample(near, g.rng.randint(1, min(3, len(near))))
    first = pick(["", f"{own} = a[y * {s} + x];", f"{own} += a[y * {s} + x];"])
    if kind < 0.4:
        parts = [f"if ({c}) {own} = {pick(['std::min', 'std::max'])}<uint32_t>({own}, d[{i}] + {g.rng.randint(0, 4)});" for c, i in chosen]
        body = " ".join([first, *parts])
    elif kind < 0.7:
        parts = [f"{pick(['+', '-', '^'])} ({c} ? d[{i}] : {pick(['0', '1', own])})" for c, i in chosen]
        body = f"{own} = {combine(g.rng, [read(f'a[y * {s} + x]', t)], 1, []).text} {' '.join(parts)};"
    else:
        parts = [f"if ({c}) v {pick(['+=', '-=', '^='])} d[{i}];" for c, i in chosen]
        rest = pick([f"{own} = v;", f"{own} = v >> 1;", f"if (v & 1) {own} = v;"])
        body = f"uint32_t v = a[y * {s} + x]; {' '.join(parts)} {rest}"
    if chance() < 0.15:
        body += f" {own} ^= d[{chosen[0][1]}] & 1;" if not back else ""
    loops = "for (int y = h - 1; y >= 0; y--) for (int x = w - 1; x >= 0; x--)" if back else "for (int y = 0; y < h; y++) for (int x = 0; x < w; x++)"
    return g.done(f"  {loops} {{\n    {body}\n  }}\n")


def scaled(g: Writer) -> Kernel:
    """Coordinates by ratios in floating point, cut off, rounded, held to the image or compared with its ends."""
    pick, chance = g.rng.choice, g.rng.random
    t = g.array("a", True, TYPES[:6])
    g.array("d")
    g.scalar("p", 1, 20)
    g.scalar("q", 1, 20)
    f = pick(["float", "float", "double"])
    ratio = pick([f"({f})p / w", f"({f})(p - 1) / ({f})(w + 1)", f"{f}(0.37)", f"{f}(-0.5)", f"({f})p / 7"])
    ratio_y = pick([f"({f})q / h", f"{f}(0.8)", f"({f})q / 9"])
    i = pick(["(int)(x * rx)", "(int)(x * rx + 0.5f)", "(int)((x + 0.5f) * rx - 0.5f)", "(int)std::floor(x * rx)", "(int)((x - w / 2) * rx + p / 2)"])
    j = pick(["(int)(y * ry)", "y", "(int)(y * ry) + 1", "(int)(y * ry + x * rx)"])
    hold = pick([
        "", "", "if (i >= p) i = p - 1;", "i = std::min(i, p - 1);", "i = std::max(0, std::min(p - 1, i));",
        "i = i < 0 ? 0 : i > p - 1 ? p - 1 : i;", "if (i > 14) i = 14; if (i < 0) i = 0;",
    ])  # fmt: skip
    atoms = [read(f"a[j * {g.stride} + i]", t)]
    if chance() < 0.4:
        atoms.append(read(f"a[j * {g.stride} + std::min(i + 1, p)]", t))
    value = combine(g.rng, atoms, 2, ["T"]).text
    if chance() < 0.3:
        value = f"i >= 0 && i < p && j >= 0 && j < q ? {value} : 5"
    store = f"d[y * {g.stride} + x] = {value};"
    if chance() < 0.2:
        store = f"if ({pick(['i < p', 'a[x] > 30', 'i >= 0 && j < 9'])}) {store}"
    return g.done(
        f"  {f} rx = {ratio}, ry = {ratio_y};\n  for (int y = 0; y < h; y++)\n    for (int x = 0; x < w; x++) {{\n"
        f"      int i = {i}, j = {j};\n      {hold}\n      {store}\n    }}\n"
    )



def cut(g: Writer) -> Kernel:
    """Windows and blocks that are cut to the image, of fixed or the caller's sizes, along one or both dimensions."""
    pick, chance = g.rng.choice, g.rng.random
    t = g.array("a", True, TYPES[:6])
    g.array("d", types=["uint32_t", "int32_t", "uint8_t"])
    g.scalar("p", *pick([(0, 4), (-2, 5)]))
    g.scalar("q", 1, 7)
    i = pick([
        ("std::max(0, x - p)", "i <= std::min(w - 1, x + p)"), ("std::max(0, x - 5)", "i < std::min(w, x + 6)"),
        ("x > p ? x - p : 0", "i < (x + p + 1 < w ? x + p + 1 : w)"), ("std::max(x - p, 2)", "i < std::min(w, x + q)"),
        ("x", "i < std::min(w, x + q)"), ("x * q", "i < std::min(w, x * q + q)"), ("std::max(0, x - p)", "i <= x"),
        ("std::max(0, x - p)", "i < std::min(q, x + p)"), ("x - p < 0 ? 0 : x - p", "i <= x + p && i < w"),
    ])  # fmt: skip
    j = pick([("y", "j <= y"), ("std::max(0, y - p)", "j < std::min(h, y + p + 1)"), ("y", "j < std::min(h, y + 3)")])
    added = combine(g.rng, [read(f"a[j * {g.stride} + i]", t), Value("i", -8, 200)] if chance() < 0.3 else [read(f"a[j * {g.stride} + i]", t)], 2, ["T"]).text
    step = pick([f"v += {added};", f"v += {added};", f"v = std::max<int>(v, {added});", f"v ^= {added};", f"if ({added} > 40) v++;", f"if (v < {added}) v = {added};"])
    more = pick(["", "", " c++;"])
    end = "v / std::max(1, c)" if more else pick(["v", "v >> 1"])
    order = [f"for (int j = {j[0]}; {j[1]}; j++)", f"for (int i = {i[0]}; {i[1]}; i++)"]
    return g.done(
        f"  for (int y = 0; y < h; y++)\n    for (int x = 0; x < w; x++) {{\n      int v = {pick(['0', '0', '7'])}, c = 0;\n"
        f"      {' '.join(order)} {{ {step}{more} }}\n      d[y * {g.stride} + x] = {end};\n    }}\n"
    )
