"""Random kernels over floats, NaN, infinities and zeros of both signs among them; every result is defined."""

from __future__ import annotations

import random

from tests.soundness.writer import Kernel, Writer

_INPUTS = ["float", "float", "float", "double", "uint8_t", "int16_t", "int32_t", "uint32_t"]
_OUTPUTS = ["float", "float", "double", "uint8_t", "uint8_t", "int16_t", "int32_t"]
_ENDS = {"uint8_t": ("0", "255"), "int16_t": ("-32768", "32767"), "int32_t": ("-2147483648.0", "2147483520.0")}


def _number(rng: random.Random) -> str:
    n = rng.choice(["0", "1", "2", "3", "255", "0.5", "0.25", "0.1", "1e-3", "16777217", "3.75", "-1", "-0.0", "100"])
    if n.startswith("-") or "." in n or "e" in n:
        return f"({n})" if rng.random() < 0.4 or ("." not in n and "e" not in n) else f"({n}f)"
    return rng.choice([n, f"{n}.0", f"{n}.0f", f"{n}.f"])


def _value(rng: random.Random, atoms: list[str], depth: int) -> str:
    """An expression of some arithmetic type."""
    if depth == 0 or rng.random() < 0.1:
        return rng.choice(atoms) if rng.random() < 0.8 else _number(rng)

    def inner() -> str:
        return _value(rng, atoms, depth - 1)

    a = inner()
    kind = rng.choice(["+", "+", "-", "*", "*", "/", "pick", "min", "max", "abs", "sqrt", "floor", "cast", "neg",
                       "fmin", "mad", "test", "round", "clamp"])  # fmt: skip
    match kind:
        case "+" | "-" | "*":
            return f"({_real(rng, a)} {kind} {inner()})"
        case "/":
            return f"({_real(rng, a)} / {rng.choice([_number(rng), inner()])})"
        case "pick":
            other = rng.choice([_number(rng), *atoms])
            test = f"{rng.choice(atoms)} {rng.choice(['<', '>', '<=', '>=', '==', '!='])} {other}"
            test = f"!({test})" if rng.random() < 0.25 else test
            return f"({test} ? {a} : {inner()})"
        case "min" | "max":
            t = rng.choice(["float", "double"])
            return f"std::{kind}<{t}>({a}, {inner()})"
        case "fmin":
            # Which zero it is, C leaves open.
            return f"({rng.choice(['fminf', 'fmaxf', 'fmin', 'fmax'])}({a}, {_number(rng)}) + 1.0f)"
        case "abs":
            return rng.choice([f"fabsf({a})", f"std::fabs({_real(rng, a)})", f"fabs({a})"])
        case "sqrt":
            return rng.choice([f"sqrtf(fabsf({a}))", f"std::sqrt(std::fabs({_real(rng, a)}))"])
        case "floor":
            return f"{rng.choice(['floorf', 'ceilf', 'truncf', 'rintf', 'floor', 'nearbyint', 'trunc'])}({a})"
        case "round":
            return f"{rng.choice(['roundf', 'round', 'std::round'])}({_real(rng, a)})"
        case "cast":
            return f"({rng.choice(['float', 'double'])})({a})"
        case "neg":
            return rng.choice([f"(-{_real(rng, a)})", f"(0 - {_real(rng, a)})", f"(0.0f - {a})", f"({a} * -1.0f)"])
        case "mad":
            return f"({_real(rng, a)} * {rng.choice(atoms)} + {inner()})"
        case "test":
            return f"({a} {rng.choice(['<', '>=', '==', '!='])} {inner()} ? 1 : {rng.choice(['0', '0.5f', '2.0'])})"
        case "clamp":
            return f"std::min(std::max((float)({a}), {rng.choice(['0.f', '-1.f'])}), {rng.choice(['1.f', '255.f'])})"
    raise AssertionError(kind)


def _real(rng: random.Random, text: str) -> str:
    """The expression as a floating-point one: integers might overflow."""
    return f"({rng.choice(['float', 'float', 'double'])}){text}" if rng.random() < 0.3 else f"(1.0f * {text})"


def _stored(rng: random.Random, text: str, type_: str) -> str:
    if type_ not in _ENDS:
        return text
    low, high = _ENDS[type_]
    x = f"({rng.choice(['float', 'double'])})({text})"
    half = rng.choice(["", "", " + 0.5f"]) if type_ == "uint8_t" else ""
    top = "254" if half else high
    return f"({type_})(!({x} > {low}) ? {low} : {x} > {top} ? {top} : {x}{half})"


def floats(g: Writer) -> Kernel:
    """Pixels, stencils along the row, sums in order, and extremes."""
    rng = g.rng
    names = ["a", "b"][: rng.randint(1, 2)]
    for n in names:
        g.array(n, True, _INPUTS)
    out = g.array("d", types=_OUTPUTS)
    index = f"y * {g.stride} + x"
    atoms = [f"{n}[{index}{rng.choice(['', '', ' + 1', ' - 1'])}]" for n in names for _ in range(rng.randint(1, 2))]
    if rng.random() < 0.2:
        atoms.append(rng.choice(["x", "y"]))
    if rng.random() < 0.3:
        g.k.scalars["p"] = (-3, 300)
        atoms.append(rng.choice(["p", "p / 7.0f", "(float)p"]))
    value, loops = _value(rng, atoms, rng.randint(1, 4)), "  for (int y = 0; y < h; y++)"
    if rng.random() < 0.25:
        t = rng.choice(["float", "double"])
        step = rng.choice([f"t += {value};", f"t += {atoms[0]};", f"t = {atoms[0]} > t ? {atoms[0]} : t;",
                           f"t = std::min<{t}>(t, {atoms[0]});", f"t = t * 0.5f + {atoms[0]};",
                           f"if ({atoms[0]} > 1) t += {atoms[0]};"])  # fmt: skip
        start = rng.choice(["0", f"{atoms[0].split('[')[0]}[0]", "1e30f"])
        inner = f"    {t} t = {start};\n    for (int x = 0; x < w; x++) {step}\n    d[y] = {_stored(rng, 't', out)};"
        return g.done(f"{loops} {{\n{inner}\n  }}\n")
    store = f"d[{index}] = {_stored(rng, value, out)};"
    if rng.random() < 0.15:
        store = f"if ({atoms[0]} > {_number(rng)}) {store}"
    return g.done(f"{loops}\n    for (int x = 0; x < w; x++)\n      {store}\n")
