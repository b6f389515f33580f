"""Random kernels whose sizes and counters are numbers of all integer types, and more parameters than registers hold."""

from __future__ import annotations

from tests.soundness.expressions import read
from tests.soundness.writer import TYPES, Kernel, Writer

_SIZES = ["size_t", "long", "unsigned", "short", "uint8_t", "uint16_t", "int64_t", "int8_t", "unsigned char", "int"]
_COUNTERS = ["int", "size_t", "unsigned", "long", "int64_t", "ptrdiff_t"]


def typed(g: Writer) -> Kernel:
    """Loops over sizes of any type, counted by any other one, up and down, with the casts that programs have."""
    pick, chance = g.rng.choice, g.rng.random
    g.stride = pick(["w", "stride", "stride"])
    for name in ("w", "h", "stride"):
        g.k.kinds[name] = pick(_SIZES)
    unsigned = {n for n, t in g.k.kinds.items() if t.startswith(("u", "size"))}
    t = g.array("a", True, TYPES[:6])
    g.array("d")
    extra = [f"p{k}" for k in range(pick([0, 0, 1, 4, 7]))]
    atoms = []
    for name in extra:
        kind = pick(["uint8_t", "int8_t", "uint16_t", "int16_t", "bool", "int"])
        g.k.kinds[name] = kind
        low, high = {"uint8_t": (0, 255), "int8_t": (-128, 127), "bool": (0, 1)}.get(kind, (0, 300))
        atoms.append(g.scalar(name, low, high))

    def loop(c: str, end: str, body: str) -> str:
        kind = pick(_COUNTERS)
        if end in unsigned and kind == "int" and chance() < 0.5:
            end = f"({kind}){end}"
        signed = end not in unsigned and kind not in ("size_t", "unsigned")
        bound = pick([end, end, f"({kind}){end}", f"{end} - 1" if signed else end])
        if chance() < 0.15:
            return f"{{ {kind} {c} = 0; while ({c} < ({kind}){end}) {{ {body} {c}++; }} }}"
        if chance() < 0.15:
            return f"for ({kind} {c} = ({kind}){end}; {c}-- > 0;) {{ {body} }}"
        return f"for ({kind} {c} = 0; {c} < {bound}; {c}++) {{ {body} }}"

    row = f"y * {pick(['', '', '(size_t)', '(int)', '(long)'])}{g.stride}"
    index = pick([f"{row} + x", f"(size_t)({row} + x)", f"x + {row}"])
    atoms.append(read(f"a[{index}]", t))
    guard = "".join(f"if ({n} > 20) return; " for n in ("w", "h") if n in unsigned or chance() < 0.2)
    store = f"d[{index}] = {g.value(atoms)};"
    k = g.done(f"  {guard}\n  {loop('y', 'h', loop('x', 'w', store))}\n")
    k.scalars |= {"w": (0, 20), "h": (0, 20)}  # less would be much for an unsigned counter
    return k
