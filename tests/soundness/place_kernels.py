"""Random kernels that have several words for one place: arms of borders that name their elements in their own words,
and parts of words reached by bits of their addresses."""

from __future__ import annotations

from tests.soundness.expressions import Value, combine, read
from tests.soundness.writer import TYPES, Kernel, Writer


def border_arms(g: Writer) -> Kernel:
    """A loop nest whose body is a chain of arms, or several conditionals; each stores to the element at hand, or to
    what that is where its condition holds, or to another one nearby."""
    pick, chance = g.rng.choice, g.rng.random
    t = g.array("d", types=TYPES)
    g.array("s", True, [t, *TYPES])
    g.scalar("k", 0, 12)
    rows = chance() < 0.6
    row = f"y * {g.stride}" if rows else ""
    here = f"{row} + x" if rows else "x"

    def named(x: str) -> str:
        return f"{row} + {x}" if rows else x

    places = {
        "x == 0": named("0") if chance() < 0.3 else (row or "0"), "x <= 0": row or "0", "x < 1": row or "0",
        "x == w - 1": named("w - 1"), "x >= w - 1": named("w - 1"), "x == k": named("k"), "k == x": named("k"),
        "x == 2": named("2"), "(uint8_t)x == 1": named("1"), "(x & 3) == 1": named("1"), "x - k == 1": named("k + 1"),
        "(unsigned)x == 3u": named("3"), "2 * x == k": named("k"), "x > 0": here,
    }  # fmt: skip
    if rows:
        places |= {
            "y == 0": "x", "y == 0 && x == 0": "0", "y == h - 1": f"(h - 1) * {g.stride} + x",
            "y == k": f"k * {g.stride} + x", "x == 0 || y == 0": here, "y == 1": f"{g.stride} + x",
        }  # fmt: skip
    conditions = g.rng.sample(list(places), pick([1, 1, 2, 2, 3]))
    beside = ["", "", " - 1", " + 1", f" - {g.stride}" if rows else " - 2"]

    def store(place: str) -> str:
        if chance() < 0.12:
            place = pick([here, *places.values()])
        atoms: list[Value] = [read(f"s[{pick([here, place])}]", g.k.pointers["s"])]
        if chance() < 0.5:
            atoms.append(read(f"d[{pick([here, place])}{pick(beside)}]", t))
        value = combine(g.rng, atoms, pick([1, 2]), ["T"]).text
        return f"d[{place}] {pick(['=', '=', '=', '=', '+='])} {value};"

    chain = chance() < 0.75
    arms = [f"if ({c}) {{ {store(places[c])} }}" for c in conditions]
    rest = store(here)
    if chain:
        body = " else ".join([*arms, f"{{ {rest} }}"]) if chance() < 0.85 else " else ".join(arms)
    else:
        body = " ".join(g.rng.sample([*arms, rest], len(arms) + 1))
    x = pick(["int x = 0; x < w; x++", "int x = 0; x < w; x++", "int x = w - 1; x >= 0; x--", "unsigned x = 0; x < (unsigned)(w < 0 ? 0 : w); x++"])  # fmt: skip  # noqa: E501
    if "unsigned" in x:
        body = body.replace("x == w - 1", "x == (unsigned)w - 1").replace("x >= w - 1", "x + 1 >= (unsigned)w")
    outer = "  for (int y = 0; y < h; y++)\n" if rows else ""
    return g.done(f"{outer}    for ({x}) {{ {body} }}\n")


def packed(g: Writer) -> Kernel:
    """Pixels of one to sixteen bits in words, read and stored by shifts, or by pointers made from changed addresses."""
    pick, chance = g.rng.choice, g.rng.random
    word = pick(["uint32_t", "uint32_t", "uint32_t", "uint16_t", "int32_t"])
    g.array("d", types=[word])
    g.array("s", True, [word, word, "uint8_t"])
    g.stride = "stride"

    def part(array: str, own: str, x: str) -> tuple[str, int]:
        """A part of a word as an object, and its bits."""
        size = 4 if own.endswith("32_t") else 2 if own.endswith("16_t") else 1
        line = f"({array} + y * stride)"
        bits = pick([8, 8, 8, 16]) if size > 1 else 8
        kind = f"uint{bits}_t"
        step = bits // 8
        mask = pick([size - step, size - step, size - step, 0, step]) if size > step else 0
        operator = pick(["^", "^", "^", "^", "|", "& ~(uintptr_t)"])
        number = pick(["uintptr_t", "uintptr_t", "intptr_t", "size_t"])
        return f"*({kind} *)(({number})(({kind} *){line} + {x}) {operator}{mask})", bits

    shown = {1: 31, 2: 15, 4: 7} if word.endswith("32_t") else {1: 15, 2: 7, 4: 3}

    def field(array: str, own: str, x: str) -> str:
        bits = pick(list(shown))
        count = shown[bits]
        if own == "uint8_t":
            count = 8 // bits - 1
        unsigned = f"(uint{32 if own.endswith('32_t') else 16 if own.endswith('16_t') else 8}_t)"
        last = f"({count} - ({x} & {count}))" if chance() < 0.7 else f"({x} & {count})"
        whole = f"{unsigned}{array}[y * stride + ({x} >> {count.bit_length()})]"
        return f"(({whole} >> ({bits} * {last})) & {(1 << bits) - 1})"

    x = pick(["x", "x", "x", "2 * x", "x + 1", "(x >> 1)"])
    source = g.k.pointers["s"]
    value = part("s", source, x)[0] if chance() < 0.5 else field("s", source, x)
    constant = g.rng.randint(0, 255)
    form = pick(["part", "part", "part", "bits", "field"])
    at = pick(["x", "x", "2 * x", "x + 3"])
    if form == "part":
        target, _ = part("d", word, at)
        body = f"{target} {pick(['=', '=', '=', '+=', '^='])} {pick(['', '255 - ', f'{constant} + '])}{value};"
    else:
        bits = 1 if form == "bits" else pick(list(shown))
        count = shown[bits]
        place = f"d[y * stride + (({at}) >> {count.bit_length()})]"
        shift = f"({bits} * ({count} - (({at}) & {count})))"
        ones = (1 << bits) - 1
        kind = "uint32_t" if word.endswith("32_t") else "uint16_t"
        if form == "bits" and chance() < 0.6:
            other = f" else {place} &= ~({kind})(({kind})1 << {shift});" if chance() < 0.5 else ""
            body = f"if (({value}) > {constant % 8}) {place} |= ({kind})(({kind})1 << {shift});{other}"
        else:
            others = f"({place} & ~({kind})(({kind}){ones} << {shift}))"
            body = f"{place} = {others} | ({kind})((({kind})({value}) & {ones}) << {shift});"
    order = ["for (int y = 0; y < h; y++)", "for (int x = 0; x < w; x++)"]
    if chance() < 0.15:
        order.reverse()
    return g.done(f"  {order[0]}\n    {order[1]} {{ {body} }}\n")
