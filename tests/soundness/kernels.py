"""Random C++ functions in the styles of image-processing code, legal for every argument that `Kernel` describes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.soundness.expressions import Value, combine, read

TYPES = ["uint8_t", "uint8_t", "uint8_t", "int8_t", "uint16_t", "int16_t", "int32_t", "uint32_t"]
TABLE = "static const uint8_t T[16] = {3, 141, 59, 26, 53, 58, 97, 93, 238, 46, 26, 43, 38, 32, 79, 250};\n"


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


class _Writer:
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
        pointers += [f"int {s}" for s in k.scalars]
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


def _sources(g: _Writer) -> list[str]:
    names = ["a", "b"][: g.rng.randint(1, 2)]
    for n in names:
        g.array(n, True)
    return names


def _extra(g: _Writer) -> list[Value]:
    return [g.scalar("p", 0, 255)] if g.rng.random() < 0.4 else []


def pointwise(g: _Writer) -> Kernel:
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


def pointer_walk(g: _Writer) -> Kernel:
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


def unrolled(g: _Writer) -> Kernel:
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


def stencil(g: _Writer) -> Kernel:
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


def reduction(g: _Writer) -> Kernel:
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


def sums(g: _Writer) -> Kernel:
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


def channels(g: _Writer) -> Kernel:
    count, out = g.rng.choice([2, 3, 4]), g.rng.choice([1, 2, 3, 4])
    t = g.array("a", True, TYPES[:6])
    g.array("d")
    atoms = [read(f"a[x * {count} + {c}]", t) for c in range(count)]
    stores = "".join(f"    d[x * {out} + {c}] = {g.value(atoms, 2)};\n" for c in range(out) if g.rng.random() < 0.93)
    return g.done(f"  for (int x = 0; x < w; x++) {{\n{stores}  }}\n")


def resampling(g: _Writer) -> Kernel:
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


def carried(g: _Writer) -> Kernel:
    """A value kept from one iteration to the next, or read back from what was stored."""
    t = g.array("a", True, TYPES[:6])
    g.array("d")
    kind = g.rng.choice(["local", "scan", "behind", "ahead"])
    here = read("a[x]", t)
    if kind == "local":
        value = g.value([here, Value("last", *_range(t))])
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


def _range(t: str) -> tuple[int, int]:
    v = read("v", t)
    return v.low, v.high


def overlapping(g: _Writer) -> Kernel:
    """Stores of one iteration that the next one overwrites, or that meet at places taken from data."""
    names = _sources(g)
    g.array("d")
    first, second = (g.value(g.atoms(names, "x"), 2) for _ in range(2))
    other = g.rng.choice(["x + 1", "x", "w - 1 - x", f"{names[0]}[x] & 15", "x / 2", "2 * x"])
    return g.done(f"  for (int x = 0; x < w; x++) {{\n    d[x] = {first};\n    d[{other}] = {second};\n  }}\n")


def two_passes(g: _Writer) -> Kernel:
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


def words(g: _Writer) -> Kernel:
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


def drivers(g: _Writer) -> Kernel:
    """Rows flipped for a negative height, contiguous rows run as one."""
    t = g.array("a", True)
    g.array("d")
    flip = f"  if (h < 0) {{ h = -h; a = a + (h - 1) * {g.stride}; step = -step; }}\n"
    value = g.value([read("a[x]", t)])
    return g.done(f"  int step = {g.stride};\n{flip}  for (int y = 0; y < h; y++) {{\n"
                  f"    for (int x = 0; x < w; x++) d[x] = {value};\n    a += step;\n    d += {g.stride};\n  }}\n")  # fmt: skip


def as_one(g: _Writer) -> Kernel:
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


def now_and_then(g: _Writer) -> Kernel:
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


def strips(g: _Writer) -> Kernel:
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


def halves(g: _Writer) -> Kernel:
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


def borders(g: _Writer) -> Kernel:
    """Neighbours at the edge by conditions on the column, or by pointers to rows that stay inside."""
    (name,) = ["a"]
    g.array(name, True)
    g.array("d")
    t, stride = g.k.pointers[name], g.stride
    if g.rng.random() < 0.5:
        other = g.rng.choice(["{0}[{1}]", "{0}[{1}]", "0", "{0}[y * {2}]"]).format(name, f"y * {stride} + x", stride)
        left = f"(x > 0 ? {name}[y * {stride} + x - 1] : {other})"
        right = f"(x < w - {g.rng.randint(1, 2)} ? {name}[y * {stride} + x + 1] : {name}[y * {stride} + x])"
        low, high = (0, 255) if t == "uint8_t" else _range(t)
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


REGISTERS = """#pragma GCC target("sse4.1")
#include <smmintrin.h>
typedef __m128i R;
static inline R get(const uint8_t* p) { return _mm_loadl_epi64((const R*)p); }
static inline void put(uint8_t* p, R v) { _mm_storel_epi64((R*)p, v); }
static inline R moved(R t, int n) {
  if (n & 1) t = _mm_slli_si128(t, 1);
  if (n & 2) t = _mm_slli_si128(t, 2);
  if (n & 4) t = _mm_slli_si128(t, 4);
  if (n & 8) t = _mm_slli_si128(t, 8);
  return t;
}
"""
_OF_TWO = ["adds_epu8", "subs_epu8", "max_epu8", "min_epu8", "avg_epu8", "and_si128", "xor_si128", "add_epi8"]


def registers(g: _Writer) -> Kernel:
    """Rows in registers of eight pixels: a last one that overlaps the one before, under a mask or not, what it held
    read early or late; borders that are written last; outputs that read each other."""
    outputs = ["d", "e"][: g.rng.choice([1, 1, 2])]
    for n in ["a", *outputs]:
        g.array(n, n == "a", ["uint8_t"])

    def value(depth: int, place: str) -> str:
        if depth == 0 or g.rng.random() < 0.2:
            name = g.rng.choice(["a", "a", "a", *outputs])
            step = g.rng.choice([0, 0, 0, -1, 1]) if name == "a" or g.rng.random() < 0.1 else 0
            return f"get({name} + {place}{f' + {step}' if step else ''})"
        if g.rng.random() < 0.1:
            return f"_mm_set1_epi8({g.rng.randint(-128, 127)})"
        return f"_mm_{g.rng.choice(_OF_TWO)}({value(depth - 1, place)}, {value(depth - 1, place)})"

    depth, rows, ends = g.rng.randint(1, 2), "", ""
    stores = [value(depth, "x") for _ in outputs]
    for k, v in enumerate(stores):
        rows += f" R v{k} = {v};"
    rows += "".join(f" put({n} + x, v{k});" for k, n in enumerate(outputs))
    masked, early = g.rng.random() < 0.5, g.rng.random() < 0.2
    held = "".join(f"    R o{k} = get({n} + w - 8);\n" for k, n in enumerate(outputs)) if masked else ""
    for k, v in enumerate(stores):
        again = value(depth, "x") if g.rng.random() < 0.1 else v
        ends += f" R v{k} = _mm_blendv_epi8(o{k}, {again}, m);" if masked else f" R v{k} = {again};"
    ends += "".join(f" put({n} + x, v{k});" for k, n in enumerate(outputs))
    last = f"    d[{g.rng.choice(['0', 'w - 1', '1'])}] = {g.rng.choice(['0', 'a[1]', 'd[2]'])};\n"
    border = last if g.rng.random() < 0.4 else ""
    test = g.rng.choice(["q != w", "q != w", "true"]) if not masked else "q != w"
    step = "".join(f" {n} += {g.stride};" for n in ["a", *outputs])
    return g.done(
        "  if (w < 8) return;\n  int q = w & ~7;\n  R m = moved(_mm_set1_epi8(-1), 8 - w + q);\n"
        f"  for (int y = 0; y < h; y++) {{\n{held if early else ''}"
        f"    for (int x = 0; x < q; x += 8) {{{rows} }}\n{'' if early else held}"
        f"    if ({test}) {{ int x = w - 8;{ends} }}\n{border}   {step}\n  }}\n"
    )


def lane_sums(g: _Writer) -> Kernel:
    """Sums in the lanes of registers, of the whole or row by row, with the end of a row under a mask, or a wrong one."""
    g.array("a", True, ["uint8_t"])
    g.array("b", True, ["uint8_t"])
    g.array("d", types=["int32_t", "uint32_t", "uint8_t"])

    def value(masked: bool) -> str:
        one, other = (f"_mm_and_si128(get({n} + x), m)" if masked else f"get({n} + x)" for n in "ab")
        return kind.format(one, g_other.format(other))

    words = g.rng.random() < 0.5  # four sums of 32 bits, or two of 64
    kind = (
        g.rng.choice(["_mm_madd_epi16(_mm_cvtepu8_epi16({0}), _mm_cvtepu8_epi16({1}))",
                      "_mm_madd_epi16(_mm_cvtepu8_epi16(_mm_max_epu8({0}, {1})), _mm_set1_epi16(1))"])
        if words else "_mm_sad_epu8({0}, {1})"
    )  # fmt: skip
    g_other = g.rng.choice(["{0}", "{0}", "_mm_setzero_si128()", "_mm_adds_epu8({0}, {0})"])
    add, t, n = ("_mm_add_epi32", "int32_t", 4) if words else ("_mm_add_epi64", "int64_t", 2)
    shift = g.rng.choice(["8 - w + q"] * 6 + ["w - q", "9 - w + q", "0"])
    test, place = g.rng.choice(["q != w", "w - q", "w > q", "true"]), g.rng.choice(["w - 8"] * 6 + ["q - 8", "w - 9"])
    rows = g.rng.random() < 0.5
    wide = words and g.rng.random() < 0.5
    out = "t[0] + t[1]" if wide or not words else "t[0] + t[1] + t[2] + t[3]"
    held = "_mm_add_epi64(_mm_unpacklo_epi32(s, z), _mm_unpackhi_epi32(s, z))" if wide else "s"
    if wide:
        t, n = "int64_t", 2
    finish = f"{t} t[{n}]; _mm_storeu_si128((R*)t, {held}); d[{'y' if rows else '0'}] = {out};"
    left = f"    if ({test}) {{ int x = {place}; s = {add}(s, {value(g.rng.random() < 0.9)}); }}\n"
    if g.rng.random() < 0.2:  # one by one
        left = ""
    return g.done(
        f"  if (w < 9) return;\n  int q = w & ~7;\n  R z = _mm_setzero_si128(), m = moved(_mm_set1_epi8(-1), {shift});\n"
        f"{'' if rows else '  R s = z;'}\n  for (int y = 0; y < h; y++) {{\n{'    R s = z;' if rows else ''}\n"
        f"    for (int x = 0; x < q; x += 8) s = {add}(s, {value(False)});\n{left}"
        f"    {finish if rows else ''} a += {g.stride}; b += {g.stride};\n  }}\n  {'' if rows else finish}\n"
    )


def overhang(g: _Writer) -> Kernel:
    """Stores that reach into the next pixel, which is stored then; the last pixel by itself, at times not whole."""
    t = g.array("a", True, ["uint8_t", "uint16_t"])
    g.array("d", types=[t, t, "uint8_t"])
    g.stride = "stride"
    many, over = g.rng.choice([2, 3]), g.rng.choice([1, 1, 2])
    source = g.rng.choice(["a", "a", "a", "a", "d"])
    atoms = [[read(f"{source}[{many + over} * x + {k}]", t), *_extra(g)] for k in range(many + over)]
    values = [g.value(v, 1) for v in atoms]
    body = " ".join(f"d[{many} * x + {k}] = {v};" for k, v in enumerate(values))
    last = values[: g.rng.choice([many, many, many, many - 1, many + over])]
    tail = " ".join(f"d[{many} * x + {k}] = {v};" for k, v in enumerate(last))
    first = g.rng.choice(["", "", "    d[0] = d[1];\n"])
    return g.done(
        f"  if (w <= 0) return;\n  for (int y = 0; y < h; y++) {{\n    int x = 0;\n"
        f"    for (; x < {g.rng.choice(['w - 1', 'w - 1', 'w - 1', 'w'])}; x++) {{ {body} }}\n{first}    {tail}\n"
        f"    a += {g.stride}; d += {g.stride};\n  }}\n"
    )


def quotients(g: _Writer) -> Kernel:
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


SHAPES: list[Callable[[_Writer], Kernel]] = [
    pointwise, pointwise, pointer_walk, unrolled, unrolled, stencil, stencil, reduction, sums, channels, resampling,
    carried, carried, overlapping, overlapping, two_passes, words, drivers, as_one, now_and_then, strips, halves, halves, borders,
    borders, registers, registers, lane_sums, overhang, quotients,
]  # fmt: skip


def kernel(seed: int, style: str = "") -> Kernel:
    """The function of a seed, in one of the styles where that is given."""
    rng = random.Random(seed)
    shape = rng.choice([s for s in SHAPES if not style or s.__name__ == style])
    return shape(_Writer(rng, f"{shape.__name__}_{seed}"))


def source(kernels: list[Kernel]) -> str:
    """One translation unit."""
    return "#include <cstdint>\n" + REGISTERS + TABLE + "".join(k.text for k in kernels)
