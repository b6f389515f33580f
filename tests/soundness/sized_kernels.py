"""Random kernels over images of two or three dimensions, some of constant size: rows that follow each other or do not,
as the arguments say."""

from __future__ import annotations

from tests.soundness.expressions import Value, read
from tests.soundness.writer import TYPES, Kernel, Writer


def fixed_sizes(g: Writer) -> Kernel:
    """A loop nest over dimensions of constant and of given sizes; each array packs its rows, or leaves as much between
    them as a parameter says, which may be nothing."""
    pick, chance = g.rng.choice, g.rng.random
    names = ["x", "y", "z"][: pick([2, 2, 3])]
    sizes = dict(zip(names, "wh4", strict=False))
    sizes |= {n: str(pick([1, 2, 3, 4, 4, 5, 8])) for n in names if chance() < 0.5}
    if len(names) == 3:  # what one side of a pointer has room for
        sizes["y"] = str(pick([1, 2, 3, 4, 5])) if sizes["x"] == "w" or chance() < 0.5 else "h"
    g.k.scalars["gap"] = (0, 2)
    t = g.array("a", True, TYPES[:6])
    g.array("b", True, [t, *TYPES[:6]])
    g.array("d", types=[t, *TYPES[:6]])
    layouts: dict[str, list[str]] = {}
    for array in g.k.pointers:
        if layouts and chance() < 0.6:
            layouts[array] = pick(list(layouts.values()))
            continue
        order = names if chance() < 0.8 else g.rng.sample(names, len(names))
        terms, below = [], "1"
        for n in order:
            terms.append(n if below == "1" else f"{n} * ({below})")
            below = sizes[n] if below == "1" else f"({below}) * {sizes[n]}"
            below = f"{below} + gap" if chance() < 0.35 else below
        layouts[array] = terms
    shift = pick(["", "", "", " + 1", " - 1"])

    def at(array: str, beside: str = "") -> str:
        return f"{array}[{' + '.join(layouts[array])}{beside}]"

    sources = pick([["a"], ["a", "b"], ["a", "d"], ["d"]])
    atoms = [read(at(s, shift if s == "a" else ""), g.k.pointers[s]) for s in sources]
    if chance() < 0.25:
        atoms.append(Value(pick(names), 0, 30))
    if chance() < 0.25:
        atoms.append(g.scalar("p", 0, 255))
    order = names[::-1] if chance() < 0.7 else g.rng.sample(names, len(names))
    store = f"{at('d')} {'=' if chance() < 0.85 else pick(['+=', '^='])} {g.value(atoms)};"
    if chance() < 0.15:
        store = f"if ({g.value(atoms, 2)} > {g.rng.randint(0, 100)}) {store}"
    loops = "".join(f"{'  ' * (k + 1)}for (int {n} = 0; {n} < {sizes[n]}; {n}++)\n" for k, n in enumerate(order))
    return g.done(f"{loops}{'  ' * (len(order) + 1)}{store}\n")
