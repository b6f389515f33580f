"""Random kernels with numbers that are kept: read before they go on, started at quotients, changed now and then."""

from __future__ import annotations

from tests.soundness.expressions import read
from tests.soundness.writer import Kernel, Writer


def halfway(g: Writer) -> Kernel:
    """Sums, of all or of each row, that are read between one loop over them and the next."""
    t = g.array("a", True, ["uint8_t", "int16_t", "uint16_t"])
    g.array("d", types=["uint32_t"])
    place = g.rng.choice(["acc", "acc", "d[y]"])
    wanted = g.rng.choice(["v", "v & 3", "v + 1", "(v > 40)"])
    first = g.value([read("a[x]", t)], 1)
    then = g.rng.choice([
        f"{place} += a[x] * ({wanted});", f"{place} += {wanted};", f"{place} += a[x];", f"{place} -= a[x] >> 1;",
        f"{{ {place} += a[x]; d[w + x] = {wanted}; }}", f"if ({wanted}) {place} += a[x + 1];",
    ])  # fmt: skip
    kept = g.rng.choice([f"uint32_t v = {place};", f"uint32_t v = {place};", f"uint32_t k[1]; k[0] = {place};"])
    then = then.replace("v", "k[0]") if "k[1]" in kept else then
    whether = g.rng.choice(["", "", f"if ({place} > 90) ", f"if ({place} & 1) "])
    body = f"for (int x = 0; x < w; x++) {place} += {first};"
    again = f"{kept} {whether}for (int x = 0; x < w; x++) {then}"
    if place == "acc":
        rest = g.rng.choice(["d[0] = acc;", "d[0] = acc; d[1] = 7;", "d[40] = acc;"])
        return g.done(f"  uint32_t acc = {g.rng.randint(0, 5)};\n  {body}\n  {again}\n  {rest}\n")
    start = g.rng.choice(["d[y] = 0; ", ""])
    end = g.rng.choice(["", "d[y] = d[y] * 3 + 1;"])
    rows = f"{start}{body}\n    {again}\n    {end}\n    a += {g.stride};"
    return g.done(f"  for (int y = 0; y < h; y++) {{\n    {rows}\n  }}\n")


def starts(g: Writer) -> Kernel:
    """Counters that start at, and step by, quotients, remainders, shifts and conversions of numbers of either sign."""
    t = g.array("a", True, ["uint8_t", "int16_t"])
    g.array("d", types=["int32_t", "uint32_t"])
    g.scalar("p", *g.rng.choice([(-40, 40), (-100000, 100000), (-4, 12)]))
    g.scalar("q", 1, 9)
    k = g.rng.randint(2, 7)
    number = g.rng.choice([
        f"p / {k}", f"p % {k}", "p / q", "p % q", f"p >> {k}", f"(int)((unsigned)p >> {k})", "p / 2 * 2",
        f"p - p % {k}", f"(int)((long)p * p / {k * 1000})", f"(int)(((long)p << 18) / (q + {k * 10000}))",
        f"(int)(unsigned)(p - {k})", f"(int)((unsigned)p - {k}u)", f"(uint8_t)(p + {k})", f"(int16_t)(p * {k})",
        f"(p < q ? p / {k} : q)", "(p & 1 ? p / 2 * 2 + 1 : p / 2 * 2)",
    ])  # fmt: skip
    counter = g.rng.choice(["int", "int", "long", "unsigned"])
    step = g.rng.choice(["1", "1", "-1", "q", number])
    value = g.value([read("a[x]", t)], 1)
    use = g.rng.choice(["i", "i", "i >> 2", "i / 3", "i % 5"])
    end = g.rng.choice(["", "d[w < 0 ? 0 : w] = i;"])
    few = g.rng.choice([f"i < {k + 3}", "i < q", "i <= q"])
    body = f"d[x] = {value} + {use}; i += {step};"
    shapes = [f"  {counter} i = {number};\n  for (int x = 0; x < w; x++) {{ {body} }}\n  {end}\n"]
    shapes.append(
        f"  int n = 0;\n  for (int i = {number}; {few}; i++) {{ n += a[n & 15] & 1; }}\n  d[0] = n;\n"
        if "long" not in number and "unsigned" not in number
        else shapes[0]
    )
    return g.done(g.rng.choice(shapes))


def kept_cells(g: Writer) -> Kernel:
    """A number, or several, carried along a row and changed only where the data or the column say so."""
    t = g.array("a", True, ["uint8_t", "int16_t", "uint16_t"])
    g.array("d", types=["int32_t", "uint32_t", "uint8_t"])
    whether = g.rng.choice(["a[x] > 90", "a[x] & 1", "x % 3 == 1", "x > 4", "a[x] > last", "x & 1 && a[x] < 100"])
    change = g.rng.choice(["last = a[x];", "last = last * 3 + a[x];", "last++;", "last += a[x] >> 1;"])
    put = g.rng.choice(["d[x] = last;", f"d[x] = last + {g.value([read('a[x]', t)], 1)};", "d[x] += last;"])
    order = g.rng.choice([f"if ({whether}) {change} {put}", f"{put} if ({whether}) {change}"])
    other = g.rng.choice(["", "", f" else last = {g.rng.randint(0, 9)};"])
    order = order.replace(change, change + other) if order.endswith(change) else order
    begin = g.rng.choice(["0", "3", "a[0]"])
    end = g.rng.choice(["", "    d[w < 0 ? 0 : w] = last;\n"])
    way = "for (int x = w - 1; x >= 0; x--)" if g.rng.random() < 0.3 else "for (int x = 0; x < w; x++)"
    return g.done(
        f"  for (int y = 0; y < h; y++) {{\n    uint32_t last = {begin};\n    {way} {{ {order} }}\n{end}"
        f"    a += {g.stride}; d += {g.stride};\n  }}\n"
    )
