"""Random C++ functions in the styles of image-processing code, legal for every argument that `Kernel` describes."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.soundness.chosen_kernels import chosen
from tests.soundness.expressions import Value, combine, read
from tests.soundness.float_kernels import floats
from tests.soundness.memory_kernels import exchanges, in_memory, scans, together
from tests.soundness.place_kernels import border_arms, packed
from tests.soundness.placed_kernels import counted, cut, neighbours, placed, scaled
from tests.soundness.register_kernels import REGISTERS, lane_sums, registers
from tests.soundness.row_kernels import kept_rows
from tests.soundness.shifted_kernels import shifted
from tests.soundness.sized_kernels import fixed_sizes
from tests.soundness.state_kernels import halfway, kept_cells, starts
from tests.soundness.table_kernels import tables
from tests.soundness.typed_kernels import typed
from tests.soundness.view_kernels import views
from tests.soundness.wrapping_kernels import blocks, wrapping_guards
from tests.soundness.writer import TYPES, Kernel, Writer, range_of

TABLE = "static const uint8_t T[16] = {3, 141, 59, 26, 53, 58, 97, 93, 238, 46, 26, 43, 38, 32, 79, 250};\n"


def _sources(g: Writer) -> list[str]:
    names = ["a", "b"][: g.rng.randint(1, 2)]
    for n in names:
        g.array(n, True)
    return names


def _extra(g: Writer) -> list[Value]:
    return [g.scalar("p", 0, 255)] if g.rng.random() < 0.4 else []


def pointwise(g: Writer) -> Kernel:
    names = _sources(g)
    g.array("d")
    index, s = f"y * {g.stride} + x", g.rng.random()
    atoms = g.atoms([*names, "d"] if g.rng.random() < 0.25 else names, index, g.rng.random() < 0.3) + _extra(g)
    store = f"d[{index}] = {g.value(atoms)};"
    if g.rng.random() < 0.2:
        store = f"if ({g.value(atoms, 2)} > {g.rng.randint(0, 100)}) {store}"
    if s < 0.4:
        return g.done(f"  for (int y = 0; y < h; y++)\n    for (int x = 0; x < w; ++x)\n      {store}\n")
    if s < 0.6:
        return g.done(f"  for (int y = h - 1; y >= 0; y--)\n    for (int x = 0; x < w; x += 1) {{ {store} }}\n")
    if s < 0.8:
        return g.done(f"  if (w <= 0 || h <= 0) return;\n  int y = 0;\n  do {{\n    for (int x = 0; x < w; x++) {store}\n"
                      "    y++;\n  } while (y < h);\n")  # fmt: skip
    lead = g.rng.choice([0, 1, 2])
    return g.done(
        f"  for (int y = 0; y < h; y++)\n    for (int x = {lead}; x < w - {g.rng.randint(0, 2)}; x++)\n      {store}\n"
    )


def pointer_walk(g: Writer) -> Kernel:
    names = _sources(g)
    g.array("d")
    atoms = [read(f"*{n}", g.k.pointers[n]) for n in names] + _extra(g)
    steps = "".join(f"{n}++; " for n in [*names, "d"])
    back = "".join(f"    {n} += {g.stride} - w;\n" for n in [*names, "d"])
    if g.rng.random() < 0.5:
        body = (
            f"  int n = w * h;\n  if (w < 0 || h < 0) return;\n  while (n-- > 0) {{ *d = {g.value(atoms)}; {steps}}}\n"
        )
    else:
        body = f"  if (w < 0) return;\n  for (int y = 0; y < h; y++) {{\n    for (int x = 0; x < w; x++) {{ *d = {g.value(atoms)}; {steps}}}\n{back}  }}\n"
    return g.done(body)


def unrolled(g: Writer) -> Kernel:
    names = _sources(g)
    g.array("d")
    factor = g.rng.choice([2, 2, 4])
    state = g.rng.getstate()
    extra = _extra(g)

    def one(offset: str, other: bool = False) -> str:
        if not other:
            g.rng.setstate(state)
            if extra:
                g.rng.random()
        return f"d[{offset}] = {g.value(g.atoms(names, offset) + extra)};"

    odd = g.rng.random() < 0.3
    lines = "\n".join(f"    {one(f'x + {j}' if j else 'x', odd and j == 1)}" for j in range(factor))
    tail = one("x", g.rng.random() < 0.2)
    text = f"  int x = 0;\n  for (; x + {factor - 1} < w; x += {factor}) {{\n{lines}\n  }}\n"
    rest = f"  for (; x < w; x++) {tail}\n" if factor > 2 else f"  if ({g.rng.choice(['x < w', 'w > 0 && (w & 1)', 'w % 2 == 1'])}) {tail}\n"
    if g.rng.random() < 0.2:  # what is there between the body and what it leaves over is read
        g.array("o")
        rest = f"  {g.k.pointers['d']} kept = d[{g.rng.choice(['0', 'x', 'w / 2'])}];\n{rest}  o[0] = kept;\n"
        return g.done("  if (w < 0) return;\n" + text + rest)
    return g.done(text + rest)


def stencil(g: Writer) -> Kernel:
    t = g.array("a", True, TYPES[:6])
    g.array("d")
    radius = g.rng.choice([1, 1, 2])
    atoms = []
    for _ in range(g.rng.randint(2, 5)):
        dy, dx = g.rng.randint(-radius, radius), g.rng.randint(-radius, radius)
        if g.rng.random() < 0.5:
            index = f"(y + {dy}) * {g.stride} + x + {dx}"
        else:
            row = f"(y + {dy} < 0 ? 0 : y + {dy} > h - 1 ? h - 1 : y + {dy})"
            column = f"(x + {dx} < 0 ? 0 : x + {dx} >= w ? w - 1 : x + {dx})"
            index = f"{row} * {g.stride} + {column}"
        atoms.append(read(f"a[{index}]", t))
    low = g.rng.choice([0, radius])
    body = f"d[y * {g.stride} + x] = {g.value(atoms)};"
    return g.done(
        f"  for (int y = {low}; y < h - {low}; y++)\n    for (int x = {low}; x < w - {low}; x++)\n      {body}\n"
    )


def reduction(g: Writer) -> Kernel:
    names = _sources(g)
    atoms = g.atoms(names, f"y * {g.stride} + x")
    value = combine(g.rng, atoms, 2, ["T"])
    g.k.result = g.rng.choice(["uint32_t", "int64_t", "uint64_t"])
    kind = g.rng.choice(["sum", "max", "count", "last"])
    start = g.rng.choice([0, 0, 1, 100])
    step = {
        "sum": f"s += ({g.k.result})({value.text});",
        "max": f"if (({g.k.result})({value.text}) > s) s = {value.text};",
        "count": f"if ({value.text} > {g.rng.randint(0, 99)}) s++;",
        "last": f"s = {value.text};",
    }[kind]
    return g.done(f"  {g.k.result} s = {start};\n  for (int y = 0; y < h; y++)\n    for (int x = 0; x < w; x++)\n"
                  f"      {step}\n  return s;\n")  # fmt: skip


def sums(g: Writer) -> Kernel:
    names = _sources(g)
    g.k.pointers["d"] = "uint32_t"
    value = combine(g.rng, g.atoms(names, f"y * {g.stride} + x"), 2, ["T"])
    at = g.rng.choice(["x", "y", f"{names[0]}[y * {g.stride} + x] & 63", "(x + y)", "x / 2"])
    clear = g.rng.random() < 0.5
    first = (
        f"  for (int i = 0; i < {g.rng.choice(['64', 'w', 'h'])}; i++) d[i] = {g.rng.choice([0, 5])};\n"
        if clear
        else ""
    )
    return g.done(f"{first}  for (int y = 0; y < h; y++)\n    for (int x = 0; x < w; x++)\n"
                  f"      d[{at}] += (uint32_t)({value.text});\n")  # fmt: skip


def channels(g: Writer) -> Kernel:
    count, out = g.rng.choice([2, 3, 4]), g.rng.choice([1, 2, 3, 4])
    t = g.array("a", True, TYPES[:6])
    g.array("d")
    atoms = [read(f"a[x * {count} + {c}]", t) for c in range(count)]
    stores = "".join(f"    d[x * {out} + {c}] = {g.value(atoms, 2)};\n" for c in range(out) if g.rng.random() < 0.93)
    return g.done(f"  for (int x = 0; x < w; x++) {{\n{stores}  }}\n")


def resampling(g: Writer) -> Kernel:
    t = g.array("a", True, TYPES[:6])
    g.array("d")
    up = g.rng.random() < 0.5
    if up:
        atoms = [read(f"a[(y / 2) * {g.stride} + x / 2]", t), read(f"a[y * {g.stride} + x]", t)]
        store = f"d[y * {g.stride} + x]"
    else:
        atoms = [read(f"a[(2 * y + {dy}) * {g.stride} + 2 * x + {dx}]", t) for dy in (0, 1) for dx in (0, 1)]
        store = f"d[y * {g.stride} + x]"
    rows, columns = ("h", "w") if up else ("h / 2", "w / 2")
    return g.done(f"  for (int y = 0; y < {rows}; y++)\n    for (int x = 0; x < {columns}; x++)\n"
                  f"      {store} = {g.value(atoms)};\n")  # fmt: skip


def carried(g: Writer) -> Kernel:
    """A value kept from one iteration to the next, or read back from what was stored."""
    t = g.array("a", True, TYPES[:6])
    g.array("d")
    kind = g.rng.choice(["local", "scan", "behind", "ahead"])
    here = read("a[x]", t)
    if kind == "local":
        value = g.value([here, Value("last", *range_of(t))])
        return g.done(
            f"  int last = {g.rng.randint(0, 9)};\n  for (int x = 0; x < w; x++) {{\n    d[x] = {value};\n    last = a[x];\n  }}\n"
        )
    if kind == "scan":
        return g.done(
            f"  uint32_t s = {g.rng.randint(0, 3)};\n  for (int x = 0; x < w; x++) {{ s += (uint32_t)({g.value([here], 2)}); d[x] = s; }}\n"
        )
    step = g.rng.randint(1, 3)
    other = f"d[x {'-' if kind == 'behind' else '+'} {step}]"
    value = g.value([here, read(other, g.k.pointers["d"])])
    return g.done(f"  for (int x = 0; x < w; x++) d[x] = {value};\n")


def overlapping(g: Writer) -> Kernel:
    """Stores of one iteration that the next one overwrites, or that meet at places taken from data."""
    names = _sources(g)
    g.array("d")
    first, second = (g.value(g.atoms(names, "x"), 2) for _ in range(2))
    other = g.rng.choice(["x + 1", "x", "w - 1 - x", f"{names[0]}[x] & 15", "x / 2", "2 * x"])
    return g.done(f"  for (int x = 0; x < w; x++) {{\n    d[x] = {first};\n    d[{other}] = {second};\n  }}\n")


def two_passes(g: Writer) -> Kernel:
    t = g.array("a", True, TYPES[:6])
    g.array("d")
    mid = g.rng.choice(["uint8_t", "uint16_t", "int16_t", "int32_t"])
    atoms = [read("a[y * " + g.stride + " + x + 1]", t), read("a[y * " + g.stride + " + x]", t)]
    first = g.value(atoms, 2)
    reads = [read("tmp[x]", mid), read("tmp[x + 1]", mid)]
    return g.done(
        f"  {mid} tmp[24];\n  for (int y = 0; y < h; y++) {{\n    for (int x = 0; x < w + 1; x++) tmp[x] = {first};\n"
        f"    for (int x = 0; x < w; x++) d[y * {g.stride} + x] = {g.value(reads, 2)};\n  }}\n"
    )


def words(g: Writer) -> Kernel:
    """Bytes read or written as words."""
    g.k.pointers["a"] = "uint8_t"
    g.constant.add("a")
    g.k.pointers["d"] = g.rng.choice(["uint8_t", "uint32_t"])
    load = g.rng.choice(["uint32_t v = *(const uint32_t*)(a + 4 * x);", "uint32_t v; __builtin_memcpy(&v, a + 4 * x, 4);",
                         "uint32_t v = a[4 * x] | a[4 * x + 1] << 8 | a[4 * x + 2] << 16 | (uint32_t)a[4 * x + 3] << 24;"])  # fmt: skip
    change = g.rng.choice(["(v & 0xff00ff00u) | ((v >> 16) & 0xff) | ((v & 0xff) << 16)", "v ^ 0x00ffffffu", "(v << 8) | (v >> 24)",
                           "((v & 0xfefefefeu) >> 1) + ((v >> 8) & 0x7f)", "v | 0xff000000u", "v & (v >> 4)"])  # fmt: skip
    store = "d[x] = r;" if g.k.pointers["d"] == "uint32_t" else "*(uint32_t*)(d + 4 * x) = r;"
    return g.done(f"  for (int x = 0; x < w; x++) {{\n    {load}\n    uint32_t r = {change};\n    {store}\n  }}\n")


def drivers(g: Writer) -> Kernel:
    """Rows flipped for a negative height, contiguous rows run as one."""
    t = g.array("a", True)
    g.array("d")
    flip = f"  if (h < 0) {{ h = -h; a = a + (h - 1) * {g.stride}; step = -step; }}\n"
    value = g.value([read("a[x]", t)])
    return g.done(f"  int step = {g.stride};\n{flip}  for (int y = 0; y < h; y++) {{\n"
                  f"    for (int x = 0; x < w; x++) d[x] = {value};\n    a += step;\n    d += {g.stride};\n  }}\n")  # fmt: skip


def as_one(g: Writer) -> Kernel:
    """Rows that run as one where a condition says that they touch, and at times where it does not say so."""
    t, many, factor = g.array("a", True), g.rng.choice([1, 1, 2, 4]), g.rng.choice([1, 2, 2, 3])
    u = g.array("d", types=[t] if g.rng.random() < 0.5 else TYPES)
    g.stride = "w"
    moves = f"e += {factor * many}; c += {factor * many};" if g.rng.random() < 0.5 else ""
    out = [g.value([read(f"c[@{k}]", t) for k in range(many)] + _extra(g), 2) for _ in range(many)]

    def stores(first: int, values: list[str]) -> str:
        at = "" if moves else ("x + " if many == 1 else f"{many} * x + ")
        lines = []
        for k, v in enumerate(values):
            for j in range(many):
                v = v.replace(f"@{j}", f"{at}{first * many + j}")
            lines.append(f"e[{at}{first * many + k}] = {v};")
        return " ".join(lines)

    body = " ".join(stores(n, out) for n in range(factor))
    other = g.rng.random() < 0.15
    tail = stores(0, [g.value([read(f"c[@{k}]", t) for k in range(many)], 2) for _ in out] if other else out)
    rest = {1: "", 2: f"      if ({g.rng.choice(['w & 1', 'w % 2 != 0', 'x < w'])}) {{ {tail} }}\n"}.get(
        factor, f"      for (; x < w; x++) {{ {tail} {f'e += {many}; c += {many};' if moves else ''} }}\n"
    )
    tests = [f"sa == {many} * w", f"sd == {many} * w"]
    test = " && ".join(tests if g.rng.random() < 0.7 else g.rng.choice([tests[:1], tests[1:], ["sa == sd"], ["p == q"]]))
    kept, out_ = "", ""
    if factor > 1 and g.rng.random() < 0.2:  # what is there between a body and what it leaves over
        o, at = g.array("o"), g.rng.choice(["0", f"w / {factor} * {factor}", "w - 1"])
        kept, out_ = f"      {u} kept = d[{many} * ({at})];\n", f"    o[y] = ({o})kept;\n"
        kept, rest = ("", kept + rest) if g.rng.random() < 0.7 else (kept, rest)
    rows = g.rng.choice(["h", "h", "h", "h", "(h - 1)"])
    g.scalar("p", 0, 1)
    g.scalar("q", 0, 1)
    flip = "  if (h < 0) { h = -h; a += (h - 1) * sa; sa = -sa; }\n" if g.rng.random() < 0.4 else ""
    return g.done(
        f"  int sa = {many} * w + p, sd = {many} * w + q;\n  if (w <= 0) return;\n{flip}"
        f"  if ({test}) {{ w *= {rows}; h = 1; sa = sd = 0; }}\n  for (int y = 0; y < h; y++) {{\n"
        f"    const {t}* c = a; {u}* e = d; int x = 0;\n"
        f"{kept}    for (; x + {factor - 1} < w; x += {factor}) {{ {body} {moves} }}\n{rest}{out_}"
        "    a += sa; d += sd;\n  }\n"
    )


def now_and_then(g: Writer) -> Kernel:
    """A pointer that goes on in some rows or columns only: those of a remainder, of which some come twice."""
    t = g.array("a", True)
    g.array("d")
    start, direction = g.rng.randint(-1, 3), g.rng.choice(["++", "++", "++", "--"])
    number = g.rng.choice(["y", "y", "n", "(y + 1)", "(h - y)"])

    def test(number: str, length: str) -> str:
        r = g.rng.randint(0, 3)
        if length.isdigit():
            n, r = int(length), r % int(length)
            mask = f"({number} & {n - 1})" if n & (n - 1) == 0 and g.rng.random() < 0.7 else f"{number} % {n}"
            return g.rng.choice([f"{mask} == {r}", f"{mask} != {r}", f"!({mask})", f"{mask}"])
        masked = g.rng.random() < 0.4
        return f"({number} & (p - 1)) == p - 1" if masked else g.rng.choice(
            [f"{number} % p == p - 1", f"{number} % p == 0", f"{number} % p == {r}"])  # fmt: skip

    length = g.rng.choice(["2", "2", "2", "3", "4", "5", "p"])
    if length == "p":
        g.scalar("p", 1, 8)
    near = g.rng.choice(["", "", " - 3", " + 2"])
    column = g.rng.random() < 0.3
    atoms = [read(f"c[{'' if column else 'x'}{' + 1' if column else near}]", t)]
    atoms += _extra(g) if length != "p" else []
    always = g.rng.choice(["", "", "a += 2; ", f"a += {g.stride}; "])
    more = g.rng.choice([g.stride, g.stride, f"{g.stride} - 1", "3", "-2"])
    again = f" if ({test('y', '2')}) a += 1;" if g.rng.random() < 0.25 else ""
    inner = f"if ({test('x', g.rng.choice(['2', '4', '3']))}) c += {g.rng.choice(['1', '2', '-1'])};" if column else ""
    return g.done(
        f"  int n = {start};\n  for (int y = 0; y < h; y++) {{\n    const {t}* c = a;\n"
        f"    for (int x = 0; x < w; x++) {{ d[y * {g.stride} + x] = {g.value(atoms)}; {inner} }}\n"
        f"    {always}if ({test(number, length)}) a += {more};{again}\n    n{direction};\n  }}\n"
    )


def strips(g: Writer) -> Kernel:
    """Rows in strips, by way of a local array that holds one."""
    t, many, length = g.array("a", True), g.rng.choice([1, 1, 2, 3]), g.rng.choice([4, 8, 5])
    g.array("d")
    g.stride = "w"
    mid, far = g.rng.choice(["uint8_t", "uint16_t", "int32_t"]), g.rng.random() < 0.15
    first = [g.value([read(f"c[{many} * x + {k}]", t) for k in range(many)] + _extra(g), 2) for _ in range(many)]
    stores = " ".join(f"row[{many} * x + {k}] = {v};" for k, v in enumerate(first))
    again = ["", " + 1"][far]
    held = [read(f"row[{many} * x + {k}{again}]", mid) for k in range(many)]
    body = f"for (int x = 0; x < n; x++) {{ {stores} }} for (int x = 0; x < n; x++) e[x] = {g.value(held, 2)};"
    scale = 1
    if g.rng.random() < 0.3:  # a second loop, which may come back to where another strip has been
        scale, beside = g.rng.choice([1, 1, 2]), g.rng.choice([1, 1, -1, 2])
        body = body.replace("e[x]", f"e[{scale} * x]")
        body += f" for (int x = 0; x < n; x++) e[{scale} * x + {beside}] = {g.value(held, 2)};"
    row = f"{mid} row[{length * many + far}]{' = {0}' if far else ''};"
    pairs = length != 5 and not far and scale == 1 and g.rng.random() < 0.4
    if pairs:  # two elements of the row give one
        held = [read(f"row[{2 * many} * x + {k}]", mid) for k in range(2 * many)]
        alone = [read(f"row[{2 * many} * x + {k}]", mid) for k in range(many)]
        body = (
            f"for (int x = 0; x < n; x++) {{ {stores} }} int x = 0; for (; x < n / 2; x++) e[x] = {g.value(held, 2)}; "
            f"if (n & 1) e[x] = {g.value(alone, 2)};"
        )
    if g.rng.random() < 0.5:
        least = g.rng.choice([f"left > {length} ? {length} : left", f"left < {length} ? left : {length}"])
        step = g.rng.choice(["n", "n", "n", str(length)])
        return g.done(
            f"  {row}\n  int left = w;\n  const {t}* c = a; {g.k.pointers['d']}* e = d;\n  while (left > 0) {{\n"
            f"    int n = {least};\n    {body}\n    c += {many} * {step}; e += {step}{' / 2' if pairs else f' * {scale}'}; left -= n;\n  }}\n"
        )
    return g.done(
        f"  {row}\n  for (int k = 0; k < w; k += {length}) {{\n    int n = w - k < {length} ? w - k : {length};\n"
        f"    const {t}* c = a + {many} * k; {g.k.pointers['d']}* e = d + k{' / 2' if pairs else f' * {scale}'};\n    {body}\n  }}\n"
    )


def halves(g: Writer) -> Kernel:
    """Two pixels of some channels an iteration give one; an odd width's last pixel stands alone, by another formula."""
    names = _sources(g)
    g.array("d")
    many, out = g.rng.choice([1, 1, 3, 4]), g.rng.choice([1, 1, 2])
    pair = [read(f"{n}[{k}]", g.k.pointers[n]) for n in names for k in range(2 * many)]
    alone = [read(f"{n}[{k}]", g.k.pointers[n]) for n in names for k in range(many)]
    stores = [g.value(g.rng.sample(pair, min(len(pair), 4))) for _ in range(out)]
    tails = [g.value(alone) for _ in range(out)]
    body = "".join(f"      d[{k}] = {v};\n" for k, v in enumerate(stores))
    tail = "".join(f" d[{k}] = {v};" for k, v in enumerate(tails))
    moves = "".join(f" {n} += {2 * many};" for n in names) + f" d += {out};"
    test = g.rng.choice(["x < w - 1; x += 2", "x + 1 < w; x += 2", "x < w / 2; x++"])
    return g.done(f"  for (int x = 0; {test}) {{\n{body}     {moves}\n  }}\n  if (w > 0 && (w & 1)) {{{tail} }}\n")


def borders(g: Writer) -> Kernel:
    """Neighbours at the edge by conditions on the column, or by pointers to rows that stay inside."""
    (name,) = ["a"]
    g.array(name, True)
    g.array("d")
    t, stride = g.k.pointers[name], g.stride
    if g.rng.random() < 0.5:
        other = g.rng.choice(["{0}[{1}]", "{0}[{1}]", "0", "{0}[y * {2}]"]).format(name, f"y * {stride} + x", stride)
        left = f"(x > 0 ? {name}[y * {stride} + x - 1] : {other})"
        right = f"(x < w - {g.rng.randint(1, 2)} ? {name}[y * {stride} + x + 1] : {name}[y * {stride} + x])"
        low, high = (0, 255) if t == "uint8_t" else range_of(t)
        atoms = [Value(v, min(low, 0), high) for v in (left, right)] + g.atoms([name], f"y * {stride} + x")
        return g.done(
            f"  for (int y = 0; y < h; y++)\n    for (int x = 0; x < w; x++)\n      d[y * {stride} + x] = {g.value(atoms)};\n"
        )
    first = g.rng.choice(["y < 1", "y == 0", "y <= 0"])
    last = g.rng.choice(["y >= h - 1", "y == h - 1", "y > h - 2"])
    rows = (
        f"    const {t}* r[3];\n    r[1] = {name} + y * {stride};\n"
        f"    r[0] = {first} ? r[1] : r[1] - {stride};\n    r[2] = r[1] + {stride};\n    if ({last}) r[2] = r[1];\n"
    )
    atoms = [read(f"r[{k}][x]", t) for k in range(3)] + _extra(g)
    return g.done(
        f"  for (int y = 0; y < h; y++) {{\n{rows}    for (int x = 0; x < w; x++) d[y * {stride} + x] = {g.value(atoms)};\n  }}\n"
    )


def overhang(g: Writer) -> Kernel:
    """Stores that reach into the next pixel, which is stored then; the last pixel by itself, at times not whole, not at
    all, or in some calls only."""
    t = g.array("a", True, ["uint8_t", "uint16_t"])
    g.array("d", types=[t, t, "uint8_t"])
    g.stride = "stride"
    many, over = g.rng.choice([2, 3]), g.rng.choice([1, 1, 2])
    source = g.rng.choice(["a", "a", "a", "a", "d"])
    atoms = [[read(f"{source}[{many + over} * x + {k}]", t), *_extra(g)] for k in range(many + over)]
    values = [g.value(v, 1) for v in atoms]
    order = list(range(many + over))
    if g.rng.random() < 0.2:
        g.rng.shuffle(order)
    body = " ".join(f"d[{many} * x + {k}] = {values[k]};" for k in order)
    last = values[: g.rng.choice([many, many, many, many - 1, many + over, 0])]
    tail = " ".join(f"d[{many} * x + {k}] = {v};" for k, v in enumerate(last))
    first = g.rng.choice(["", "", "    d[0] = d[1];\n"])
    start, end = "0", g.rng.choice(["w - 1", "w - 1", "w - 1", "w"])
    if g.rng.random() < 0.3:
        g.scalar("p", 0, 1)
        start, end = "(p ? 1 : 0)", "w"
        body, tail = body.replace("* x", "* i"), f"if (p) {{ {tail} }}"
        body = f"{{ {body} }} i++;"
    i = "    int i = 0;\n" if end == "w" and start != "0" else ""
    tail = tail.replace("* x", "* i") if i else tail
    check = g.rng.choice(["  if (w <= 0) return;\n", "  if (w <= 0) return;\n", "  if (w < 2) return;\n", ""])
    return g.done(
        f"{check}  for (int y = 0; y < h; y++) {{\n    int x = {start};\n{i}"
        f"    for (; x < {end}; x++) {{ {body} }}\n{first}    {tail}\n"
        f"    a += {g.stride}; d += {g.stride};\n  }}\n"
    )


def quotients(g: Writer) -> Kernel:
    """Coordinates divided by parameters and sizes, and modulo them, in 32 and 64 bits, some of them negative."""
    t = g.array("a", True, TYPES[:6])
    g.array("d")
    g.scalar("p", g.rng.choice([-3, 0, 1]), 20)
    g.scalar("q", 1, 9)
    wide = g.rng.choice(["", "", "(int64_t)", "(unsigned)"])

    def place(c: str, size: str) -> str:
        return g.rng.choice([
            f"{wide}{c} * p / {size}", f"{wide}{c} * (p - 1) / {size}", f"{c} / q", f"{c} / q * q", f"{c} % q",
            f"({c} + p) % {size}", f"({wide}{c} * q + p) / {size}", f"({c} + q - 1) / q", f"{c} - {c} % q", c,
        ])  # fmt: skip

    row, column = place("y", "h"), place("x", "w")
    if "unsigned" in row + column:
        g.k.scalars["p"] = (1, 20)
    atoms = [read(f"a[({row}) * {g.stride} + {column}{f' + {k}' if k else ''}]", t) for k in range(g.rng.randint(1, 2))]
    if g.rng.random() < 0.4:
        atoms.append(Value(g.rng.choice(["(x % q)", "(x / q + y / q)", "(y % q)"]), 0, 40))
    return g.done(f"  for (int y = 0; y < h; y++)\n    for (int x = 0; x < w; x++)\n"
                  f"      d[y * {g.stride} + x] = {g.value(atoms)};\n")  # fmt: skip


def masked(g: Writer) -> Kernel:
    """Neighbours of the pixels of which a mask, or something else, says so; first and last column apart, rows held."""
    t = g.array("a", True, TYPES[:6])
    g.array("m", True, TYPES[:3])
    g.array("d")
    g.scalar("p", 0, 60)
    condition = g.rng.choice([
        "m[{}] > 100", "m[{}] < p", "m[{}] == 3 || m[{}] > p", "here[{}] > 9", "m[{}] > 30 && y > 1", "p > 20", "{} > 1",
        "m[{}] > 60 && here[{}] > p", "y < p || m[{}] > 40",
    ])  # fmt: skip
    rows = [g.rng.choice(["up", "here", "down"]) for _ in range(3)]
    kinds = [g.rng.choice("lxr") for _ in rows]
    value = g.value([read(f"{row}[{{{k}}}]", t) for row, k in zip(rows, kinds, strict=True)])
    other = g.rng.choice(["0", "1", "p", "here[{x}]"])

    def cell(left: str, x: str, right: str) -> str:
        text = value
        for k, at in (("l", left), ("x", x), ("r", right)):
            text = text.replace(f"{{{k}}}", at)
        chosen, rest = condition.replace("{}", x), other.replace("{x}", x)
        return f"d[{x}] = {chosen} ? {text} : {rest};" if g.rng.random() < 0.9 else f"if ({chosen}) d[{x}] = {text};"

    last = g.rng.choice(["w - 1", "w - 1", "w - 1", "w", "w - 2"])
    above, below = g.rng.choice([("y > 0", "y < h - 1")] * 3 + [("y > 1", "y + 2 < h"), ("p > 9", "y + 1 < h")])
    middle = f"    for (int x = 1; x < w - 1; x++) {{ {cell('x - 1', 'x', 'x + 1')} }}\n"
    return g.done(
        f"  if (w < {g.rng.choice([2, 2, 3])}) return;\n"
        f"  for (int y = 0; y < h; y++, m += {g.stride}, d += {g.stride}) {{\n"
        f"    const {t}* here = a + y * {g.stride};\n    const {t}* up = {above} ? here - {g.stride} : here;\n"
        f"    const {t}* down = {below} ? here + {g.stride} : here;\n"
        f"    {cell('0', '0', '1')}\n{middle}    {cell('w - 2', 'w - 1', last)}\n  }}\n"
    )


def steps(g: Writer) -> Kernel:
    """Loops whose steps are parameters, forwards and backwards, with a counter of their own for what they make."""
    t = g.array("a", True)
    g.array("d")
    g.scalar("p", 1, 6)
    step = g.rng.choice(["p", "p", "p + 1", "2 * p"])
    first = g.rng.choice(["0", "0", "1", "p", "p - 1"])
    bound = g.rng.choice(["<", "<", "<="])
    atoms = [read(f"a[y * {g.stride} + x{g.rng.choice(['', '', ' + 1', ' + p'])}]", t) for _ in range(2)]
    if g.rng.random() < 0.3:
        atoms.append(Value("x", 0, 30))
    column = g.rng.choice([
        f"for (int x = {first}; x {bound} w; x += {step})", f"for (int x = w - 1; x >= {first}; x -= {step})",
        "for (int x = 0; x < w; x++)",
    ])  # fmt: skip
    row = g.rng.choice([f"for (int y = 0; y < h; y += {step})", f"for (int y = {first}; y < h; y += {step})",
                        "for (int y = 0; y < h; y++)"])  # fmt: skip
    if g.rng.random() < 0.4:
        return g.done(f"  {row} {{\n    int o = 0;\n    {column} d[y * {g.stride} + o++] = {g.value(atoms)};\n  }}\n")
    return g.done(f"  {row}\n    {column} d[y * {g.stride} + x] = {g.value(atoms)};\n")


def caller_tiles(g: Writer) -> Kernel:
    """Tiles, or bands, of the caller's sizes, the last ones partial; in place at times."""
    t = g.array("a", True)
    g.array("d")
    g.scalar("p", 1, 9)
    g.scalar("q", 1, 6)
    high, wide = g.rng.choice([("p", "q"), ("p", "p"), ("q", "2 * p"), ("p + 1", "q"), ("4", "p")])
    first = g.rng.choice(["0", "0", "0", "1"])

    def along(x: str, size: str, end: str) -> tuple[str, str, str]:
        """The loop over tiles, the loop inside one, and the coordinate."""
        over = f"for (int {x}0 = {first}; {x}0 < {end}; {x}0 += {size})"
        return g.rng.choice([
            (over, f"for (int {x} = {x}0; {x} < ({x}0 + {size} < {end} ? {x}0 + {size} : {end}); {x}++)", x),
            (over, f"for (int {x} = {x}0; {x} < {x}0 + {size} && {x} < {end}; {x}++)", x),
            (over, f"for (int {x} = 0; {x} < ({end} - {x}0 < {size} ? {end} - {x}0 : {size}); {x}++)", f"({x}0 + {x})"),
            ("", f"for (int {x} = {first}; {x} < {end}; {x}++)", x),
            (over, f"for (int {x} = {x}0; {x} < {x}0 + {size}; {x}++)", x),
        ])  # fmt: skip

    rows, row, y = along("y", high, g.rng.choice(["h", "h", "h - 1"]))
    columns, column, x = along("x", wide, g.rng.choice(["w", "w", "w - 1"]))
    shift = g.rng.choice(["", "", "", " + 1", " - 1"])
    atoms = [read(f"{g.rng.choice('aaad')}[{y} * {g.stride} + {x}{s}]", t) for s in ("", shift)]
    if g.rng.random() < 0.3:
        atoms.append(Value(g.rng.choice(["y", "x"]), 0, 30))
    inner = f"{row}\n        {column}" if g.rng.random() < 0.8 else f"{column}\n        {row}"
    return g.done(f"  {rows}\n    {columns}\n      {inner} d[{y} * {g.stride} + {x}] = {g.value(atoms)};\n")


SHAPES: list[Callable[[Writer], Kernel]] = [
    pointwise, pointwise, pointer_walk, unrolled, unrolled, stencil, stencil, reduction, sums, channels, resampling,
    carried, carried, overlapping, overlapping, two_passes, words, drivers, as_one, now_and_then, strips, halves, halves, borders,
    borders, registers, registers, lane_sums, overhang, quotients, masked, steps, wrapping_guards, blocks,
    halfway, starts, kept_cells, fixed_sizes, fixed_sizes, floats, floats, typed,
    caller_tiles, in_memory, in_memory, scans, exchanges, kept_rows, kept_rows,
    placed, placed, counted, neighbours, neighbours, scaled, cut, together, tables, tables, shifted, shifted, chosen, chosen, views, views,
    border_arms, border_arms, packed, packed,
]  # fmt: skip


def kernel(seed: int, style: str = "") -> Kernel:
    """The function of a seed, in one of the styles where that is given."""
    rng = random.Random(seed)
    shape = rng.choice([s for s in SHAPES if not style or s.__name__ == style])
    return shape(Writer(rng, f"{shape.__name__}_{seed}"))


def source(kernels: list[Kernel]) -> str:
    """One translation unit."""
    return "#include <algorithm>\n#include <cmath>\n#include <cstddef>\n#include <cstdint>\n#include <cstdlib>\n#include <cstring>\n" + REGISTERS + TABLE + "".join(k.text for k in kernels)
