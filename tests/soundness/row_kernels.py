"""Random kernels that keep rows in a buffer of their own from one row of the image to the next: rings, rows whose
pointers change places, sums of columns, with slots and guards that are right or just are not."""

from __future__ import annotations

import itertools

from tests.soundness.expressions import Value, combine, read
from tests.soundness.writer import TYPES, Kernel, Writer


def kept_rows(g: Writer) -> Kernel:
    """A buffer of zeros or of what comes first, and a loop that stores to some of its rows and reads others; mostly as
    programs do, now and then with a slot, a bound or an order that is another one."""
    t = g.array("a", True, TYPES[:6])
    g.k.pointers["d"] = "uint32_t"
    pick, chance = g.rng.choice, g.rng.random
    count = pick([1, 1, 2, 2, 3, 4])
    length = pick(["w", "w", "(w + 2)", "24"])
    walking = count > 1 and chance() < 0.35
    numbered = count > 1 and not walking and chance() < 0.3
    names = ["p", "q", "r", "s"][:count]
    odd = 0.12
    ahead = pick([0, 0, 1]) if count > 1 and not walking and not numbered else 0

    def row(back: int) -> str:
        """A row: 0 for the one that an iteration makes, 1 for the one before it."""
        if chance() < odd:
            back = g.rng.randint(0, count)
        if walking:
            return names[(count - 1 - back) % count]
        if count == 1:
            return "b"
        number = f"{'now' if numbered else 'y'} + {(ahead - back) % count}"
        if numbered and count == 2 and chance() < 0.4:
            return f"b + ({pick(['1 - now', 'now ^ 1']) if back % 2 else 'now'}) * {length}"
        slot = f"({number}) & {count - 1}" if count in (2, 4) and chance() < 0.5 else f"({number}) % {count}"
        return f"b + ({slot}) * {length}"

    def new(x: str) -> str:
        place = f"a[{f'(y + {ahead})' if ahead else 'y'} * {g.stride} + {x}]"
        return f"(uint32_t)({combine(g.rng, [read(place, t)], 2, ['T']).text})"

    def guarded(text: str, likely: float = 0.1) -> str:
        if chance() >= likely:
            return text
        return pick(["if (y >= 1) ", "if (y + 2 < h) ", "if (y & 1) ", "if (y > 2 && y < h - 1) "]) + text

    inner = ("1", "w - 1") if chance() < 0.4 else ("0", "w")

    def over(text: str, narrow: bool = False) -> str:
        low, high = inner if narrow else ("0", "w")
        if chance() < odd:
            low, high = pick([("0", "w"), ("1", "w - 1"), ("1", "w")])
        return f"for (int x = {low}; x < {high}; x++) {text}"

    def use(first: bool) -> str:
        beside = ["x", "x", "x - 1", "x + 1"] if inner[0] == "1" else ["x"]
        backs = range(1, count + 1) if first else range(count)
        reads = [f"({row(pick(list(backs)))})[{pick(beside)}]" for _ in range(g.rng.randint(1, 3))]
        atoms = [Value(f"(int)({r} & 0xffff)", 0, 65535) for r in reads]
        out = pick(["y", "y", "y", "y", "(y + 1)"])
        return f"d[{out} * {g.stride} + x] = (uint32_t)({combine(g.rng, atoms, 2, ['T']).text});"

    kind = pick(["=", "=", "+=", "old"]) if count == 1 else pick(["=", "=", "=", "old"])
    old = f"({row(1)})[x]"
    store = f"({row(0)})[x] {'+=' if kind == '+=' else '='} {f'{old} * 2 + ' if kind == 'old' else ''}{new('x')};"
    lines = []
    for back in range(1, count + (count == 1)) if chance() < 0.8 else ():  # before the first row of the image
        to = row(back).replace("y", "0")
        lines.append("  " + over(f"({to})[x] = {pick(['7', 'a[x]', f'a[{g.stride} + x]'])};"))
    if count == 1 and chance() < 0.4:
        lines.append(f"  for (int j = 0; j < {pick('23')}; j++) {over(f'b[x] += a[j * {g.stride} + x];')}")
    use_first = chance() < 0.3
    if chance() < 0.25:
        both = [use(True), store] if use_first else [store, use(False)]
        body = [over("{ " + " ".join(both) + " }", True)]
    else:
        body = [guarded(over(store)), guarded(over(use(use_first), True), 0.25)]
        if count == 1 and chance() < 0.3:
            body.insert(1, guarded(over(f"b[x] {pick(['+=', '-=', '^='])} {new('x')};"), 0.5))
        if use_first:
            body = [body[-1], *body[:-1]]
    more = chance() < 0.3
    if more and chance() < 0.4:
        body.append(f"{'' if length == '24' else 'if (w > 0) '}({row(0)})[0] = {new('0')};")
    if walking:  # the last one is the oldest, which is stored to next
        steps = " ".join(f"{a} = {b};" for a, b in itertools.pairwise(names))
        body.append(guarded(f"{{ uint32_t* t = {names[0]}; {steps} {names[-1]} = t; }}"))
    if numbered:
        turns = [f"now = (now + 1) % {count};", f"if (++now == {count}) now = 0;"]
        turns.append(f"now = now < {count - 1} ? now + 1 : 0;")
        body.append(guarded(pick(turns + (["now = 1 - now;", "now ^= 1;"] if count == 2 else []))))
    start = pick(["0", "0", "1"])
    pointers = "  int now = 0;\n" if numbered else ""
    if walking and not more and chance() < 0.5:  # an array for each row
        pointers = "".join(f"  uint32_t* {n} = (uint32_t*)calloc({length}, 4);\n" for n in names)
    elif walking:
        pointers = "".join(f"  uint32_t* {n} = b + {i} * {length};\n" for i, n in enumerate(names))
    inside = "\n    ".join(body)
    size = f"{count} * {length}{' + 8' if more else ''}"
    return g.done(
        f"  uint32_t* b = (uint32_t*)calloc({size}, 4);\n{pointers}" + "\n".join(lines)
        + f"\n  for (int y = {start}; y < h; y++) {{\n    {inside}\n  }}\n  free(b);\n"
    )  # fmt: skip


__all__ = ["kept_rows"]
