"""Stages that read at their own point: curves, mathematics, combinations of two planes, choices, pairs, borders."""

from __future__ import annotations

from corpus.unseen.definitions import Definitions
from corpus.unseen.stage import Plane
from corpus.unseen.values import BITS, Value, cast, product, scaled_down, stored, weighted, within

BORDERS = ("repeat_edge", "repeat_edge", "mirror_image", "mirror_interior", "constant_exterior", "repeat_image")


def curve(d: Definitions) -> None:
    """Point-wise arithmetic on integers or mathematics on floats."""
    p, rng = d.pick(), d.rng
    assert p is not None
    v = d.near(p, 0, 0)
    d.plane("curve", p, stored(rng, _mathematics(d, v) if v.is_float else _bent(d, v)))


def _mathematics(d: Definitions, v: Value) -> Value:
    rng, t = d.rng, v.text
    size = v.magnitude()
    match rng.choice(("sqrt", "exp", "pow", "sin", "square", "fraction", "log", "floor")):
        case "sqrt":
            return Value(f"hl.sqrt(hl.abs({t}))", "f32", 0, size**0.5)
        case "exp":
            v = within(rng, v, 4.0)
            return Value(f"hl.exp(0 - {v.text} * {v.text})", "f32", 0, 1)
        case "pow":
            power = rng.choice((0.45, 2.2, 1.5))
            v = within(rng, v, 8.0)
            text = f"hl.pow(hl.abs({v.text}) + hl.f32(0.01), hl.f32({power}))"
            return Value(text, "f32", 0, (v.magnitude() + 1) ** power)
        case "sin":
            v = within(rng, v, 8.0)
            return Value(f"hl.sin({v.text})", "f32", -1, 1)
        case "square":
            return product(rng, v, v)
        case "fraction":
            return Value(f"({t} / (hl.abs({t}) + hl.f32(0.5)))", "f32", -1, 1)
        case "log":
            return Value(f"hl.log(hl.abs({t}) + hl.f32(1.0))", "f32", 0, size + 1)
    return Value(f"hl.clamp({t} * hl.f32(1.5) - hl.f32(0.1), hl.f32(-0.5), hl.f32(2.0))", "f32", -0.5, 2.0)


def _bent(d: Definitions, v: Value) -> Value:
    rng = d.rng
    middle = int(v.low + (v.high - v.low) * rng.uniform(0.2, 0.8))
    wide = cast(within(rng, v, 1 << 18), "i32")
    low, high = wide.low, wide.high
    match rng.choice(("select", "distance", "square", "clamp", "bits", "line")):
        case "select":
            text = f"hl.select({wide.text} > {middle}, {wide.text} * 3 / 2 - {abs(middle) // 2}, {wide.text})"
            return Value(text, "i32", min(low, low * 2 - abs(middle)), max(high * 2, 0) + abs(middle))
        case "distance":
            return Value(f"hl.i32(hl.abs({wide.text} - {middle}))", "i32", 0, high - low + abs(middle))
        case "square":
            return scaled_down(rng, product(rng, v, v), 256)
        case "clamp":
            top = max(middle, int(low) + 1)
            return Value(f"hl.clamp({v.text}, {int(low)}, {top})", v.type, low, top)
        case "bits" if v.low >= 0 and v.type == "u8":
            return Value(f"({v.text} ^ {rng.choice((85, 128, 15))})", "u8", 0, 255)
    return Value(f"(({wide.text} * {rng.randint(2, 7)} + {rng.randint(0, 9)}) / 4)", "i32", low * 2 - 1, high * 2 + 3)


def combine(d: Definitions) -> None:
    """Two planes in one: the join of a diamond."""
    rng = d.rng
    p = d.pick()
    assert p is not None
    others = [q for q in d.planes if q.size == p.size and q.channels <= p.channels and q is not p]
    if not others:
        return curve(d)
    q = rng.choice(others[-4:])
    v = d.near(p, 0, 0), d.near(q, 0, 0)
    d.plane("mix", p, stored(rng, combined(d, *v, exact=p.exact and q.exact)))


def combined(d: Definitions, a: Value, b: Value, exact: bool) -> Value:
    """Any operator of two values."""
    rng = d.rng
    floats = a.is_float or b.is_float
    if floats:
        a, b = cast(a, "f32"), cast(b, "f32")
        match rng.choice(("+", "-", "*", "/", "max", "absd")):
            case "*":
                return product(rng, a, b)
            case "/":
                b = within(rng, b, 4.0)
                text = f"({a.text} / (hl.abs({b.text}) + hl.f32(0.25)))"
                return Value(text, "f32", 4 * min(a.low, 0), 4 * max(a.high, 0))
            case "max":
                text = f"hl.max({a.text}, {b.text})"
                return Value(text, "f32", min(a.low, b.low), max(a.high, b.high))
            case "absd":
                return Value(f"hl.abs({a.text} - {b.text})", "f32", 0, a.magnitude() + b.magnitude())
            case sign:
                return weighted(rng, [a, b], [1.0, -1.0 if sign == "-" else 0.5])
    same = a.type == b.type and a.type in ("u8", "u16")
    choices = ["+", "-", "*", "absd", "minmax", "select", "/"]
    choices += ["halving", "saturating", "absd", "halving"] if same else []
    choices += ["lerp", "lerp"] if same and a.type == "u8" else []
    low, high = min(a.low, b.low), max(a.high, b.high)
    match rng.choice(choices):
        case "*":
            return scaled_down(rng, product(rng, a, b), rng.choice((64, 256)))
        case "absd" if same:
            return Value(f"hl.absd({a.text}, {b.text})", a.type, 0, high)
        case "absd":
            a, b = cast(a, "i32"), cast(b, "i32")
            return Value(f"hl.i32(hl.abs({a.text} - {b.text}))", "i32", 0, a.magnitude() + b.magnitude())
        case "minmax":
            t = a.type if a.type == b.type else "i32"
            return Value(f"hl.{rng.choice(('min', 'max'))}({cast(a, t).text}, {cast(b, t).text})", t, low, high)
        case "select" if exact:
            t = a.type if a.type == b.type else "i32"
            x, y = cast(a, t).text, cast(b, t).text
            return Value(f"hl.select({x} > {y}, {x}, ({x} & 1) + {y} - ({y} & 1))", t, low - 1, high)
        case "/":
            a, b = cast(within(rng, a, 1 << 16), "i32"), cast(within(rng, b, 1 << 16), "i32")
            return Value(f"({a.text} * 16 / (hl.i32(hl.abs({b.text})) + 16))", "i32", min(a.low, 0) - 1, max(a.high, 0))
        case "halving":
            name = rng.choice(("halving_add", "rounding_halving_add"))
            return Value(f"hl.{name}({a.text}, {b.text})", a.type, low, high)
        case "saturating":
            name = rng.choice(("saturating_add", "saturating_sub"))
            return Value(f"hl.{name}({a.text}, {b.text})", a.type, 0, (1 << BITS[a.type]) - 1)
        case "lerp":
            weight = rng.choice(("hl.u8(x % 256)", f"hl.u8({rng.randint(1, 254)})"))
            return Value(f"hl.lerp({a.text}, {b.text}, {weight})", a.type, low, high)
    return weighted(rng, [a, b], [1, rng.choice((1, -1, -1))])


def pair(d: Definitions) -> None:
    """A Tuple of two values of one plane."""
    p, rng = d.pick(), d.rng
    assert p is not None
    one = 0.5 if p.type == "f32" else 1
    steps = rng.choice((((1, 0), (0, 1)), ((1, 1), (-1, 1))))
    values = [weighted(rng, [d.near(p, dx, dy), d.near(p, 0, 0)], [one, -one]) for dx, dy in steps]
    d.plane("pair", p, *values)


def edges(d: Definitions) -> None:
    """A border around a plane that is computed."""
    p = d.pick(lambda p: p.func != "source" and p.element is None)
    if p is not None:
        bordered(d, p, d.rng.choice(BORDERS))


def bordered(d: Definitions, p: Plane, how: str) -> None:
    """A stage that reads a plane through a boundary condition."""
    extra = [(0, 3)] if p.channels else []
    ranges = [(0, p.size[0]), (0, p.size[1]), *extra]
    name = d.name("edge")
    func = p.func
    if how == "constant_exterior":
        line = f"{name} = hl.BoundaryConditions.constant_exterior({func}, hl.{p.type}(0), {ranges})"
    else:
        line = f"{name} = hl.BoundaryConditions.{how}({func}, {ranges})"
    read = d.read(p, access="stencil" if how == "repeat_edge" else "scaled")
    text = read.text.replace(f"{func}[", f"{name}[", 1)
    low = min(p.low, 0) if how == "constant_exterior" else p.low
    d.plane("border", p, Value(text, p.type, low, max(p.high, 0)), before=[line])
    d.stages[-1].cost += 3
    # Nothing beyond the edges is read.
    last = d.planes[-1]
    d.planes[-1] = Plane(
        last.func, last.type, last.low, last.high, last.size, last.channels, None, last.scale, 0.0, last.exact
    )
