"""Stages of another size than what they read: halved, doubled, at computed coordinates, transposed, displaced."""

from __future__ import annotations

from corpus.unseen.definitions import Definitions
from corpus.unseen.stage import Plane
from corpus.unseen.values import Value, cast, literal, stored, weighted

# Of a pipeline's planes: beyond, a pair would take too long.
_MOST_PIXELS = 4_200_000


def _define(d: Definitions, kind: str, p: Plane, v: Value, size: tuple[int, int], scale: float) -> None:
    s = d.stage(kind, ["x", "y", "c"] if p.channels else ["x", "y"], [v], (*size, 3) if p.channels else size)
    d.done(s, size, scale)


def half(d: Definitions) -> None:
    """Sampled at half the resolution along one axis or both, after a small filter."""
    p, rng = d.pick(lambda p: min(p.size) >= 64), d.rng
    if p is None:
        return
    along = rng.choice(("xy", "xy", "x", "y"))
    sx, sy = (2 if "x" in along else 1), (2 if "y" in along else 1)
    x, y = ("2 * x" if sx == 2 else "x"), ("2 * y" if sy == 2 else "y")
    form = rng.choice(("box", "box", "point", "four"))
    if form == "point":
        v = d.read(p, x, y, access="scaled")
    elif form == "four" and sx == 2:
        taps = [d.read(p, f"{x} {s}", y, access="scaled", by=2) for s in ("- 1", "+ 0", "+ 1", "+ 2")]
        v = _average(d, p, taps, [1, 3, 3, 1])
    else:
        xs, ys = [x, f"{x} + 1"][:sx], [y, f"{y} + 1"][:sy]
        taps = [d.read(p, u, v, access="scaled", by=2) for v in ys for u in xs]
        v = _average(d, p, taps, [1] * len(taps))
    _define(d, "half", p, v, (p.size[0] // sx, p.size[1] // sy), p.scale * max(sx, sy))


def double(d: Definitions) -> None:
    """Sampled at twice the resolution along one axis or both, nearest or between neighbours."""
    p, rng = d.pick(lambda p: p.size[0] * p.size[1] * (1 + 2 * p.channels) * 4 <= _MOST_PIXELS), d.rng
    if p is None:
        return
    along = rng.choice(("xy", "xy", "x", "y"))
    sx, sy = (2 if "x" in along else 1), (2 if "y" in along else 1)
    x, y = ("x / 2" if sx == 2 else "x"), ("y / 2" if sy == 2 else "y")
    form = rng.choice(("nearest", "between", "weighted"))
    if form == "nearest":
        v = d.read(p, x, y, access="scaled")
    elif form == "between":
        xs, ys = (["x / 2", "(x + 1) / 2"] if sx == 2 else ["x"]), (["y / 2", "(y + 1) / 2"] if sy == 2 else ["y"])
        taps = [d.read(p, u, v, access="scaled", by=1) for v in ys for u in xs]
        v = _average(d, p, taps, [1] * len(taps))
    else:
        beside_x, beside_y = f"{x} - 1 + 2 * (x % 2)", f"{y} - 1 + 2 * (y % 2)"
        taps = [d.read(p, x, y, access="scaled", by=2), d.read(p, beside_x, y, access="scaled", by=2)]
        if sx == 1:
            taps = [taps[0], d.read(p, x, beside_y, access="scaled", by=2)]
        v = _average(d, p, taps, [3, 1])
    _define(d, "double", p, v, (p.size[0] * sx, p.size[1] * sy), p.scale)


def _average(d: Definitions, p: Plane, taps: list[Value], weights: list[int]) -> Value:
    total = sum(weights)
    if p.type == "f32":
        return stored(d.rng, weighted(d.rng, taps, [w / total for w in weights]))
    return stored(d.rng, weighted(d.rng, taps, weights), total)


def resize(d: Definitions) -> None:
    """Resampled at coordinates computed in float and clamped: nearest or bilinear."""
    p, rng = d.pick(lambda p: min(p.size) >= 64 and p.size[0] * p.size[1] * (1 + 2 * p.channels) < 2_500_000), d.rng
    if p is None:
        return
    bilinear = rng.random() < 0.7
    # Coordinates that a float holds exactly are the same whether products and sums are contracted or not.
    exactly = p.type != "f32" or not bilinear
    ratio = rng.choice((0.75, 0.625, 1.25, 1.375, 1.5)) if exactly else round(rng.uniform(0.7, 1.6), 4)
    size = int(p.size[0] / ratio), int(p.size[1] / ratio)
    step = literal(ratio, "f32")
    places, shares = [], []
    for axis, extent in zip("xy", p.size, strict=True):
        place = f"((hl.f32({axis}) + hl.f32(0.5)) * {step} - hl.f32(0.5))"
        last = extent - (2 if bilinear else 1)
        if bilinear:
            whole = f"hl.clamp(hl.i32(hl.floor({place})), 0, {last})"
            shares.append(f"hl.clamp({place} - hl.f32({whole}), hl.f32(0.0), hl.f32(1.0))")
        else:
            whole = f"hl.clamp(hl.i32({place} + hl.f32(0.5)), 0, {last})"
        places.append(whole)
    if not bilinear:
        v = d.read(p, places[0], places[1], access="scaled", by=2)
        _define(d, "nearest", p, v, size, p.scale * max(ratio, 1.0))
        return
    (x, y), (u, w) = places, shares
    f00, f10, f01, f11 = (
        cast(d.read(p, x + dx, y + dy, access="scaled", by=2), "f32").text for dy in ("", " + 1") for dx in ("", " + 1")
    )
    upper, lower = f"({f00} * (1 - {u}) + {f10} * {u})", f"({f01} * (1 - {u}) + {f11} * {u})"
    text = f"({upper} * (1 - {w}) + {lower} * {w})"
    v = Value(text, "f32", p.low, p.high)
    if p.type == "u8" and p.exact:
        v = Value(f"hl.u8({text} + hl.f32(0.5))", "u8", p.low, p.high)
    _define(d, "bilinear", p, v, size, p.scale * max(ratio, 1.0))


def transposed(d: Definitions) -> None:
    """Rows as columns."""
    p = d.pick()
    assert p is not None
    v = d.read(p, "y", "x", access="whole")
    _define(d, "turned", p, v, (p.size[1], p.size[0]), p.scale)


def displaced(d: Definitions) -> None:
    """Read at a distance that another plane says."""
    q = d.pick(lambda q: q.exact and q.type != "f32" and not q.channels and q.low >= 0)
    if q is None:
        return
    p = d.pick(lambda p: p.size == q.size)
    if p is None:
        return
    n = d.rng.choice((4, 8, 16))
    by = f"hl.i32({d.near(q, 0, 0).text}) % {n}"
    v = d.read(p, f"hl.clamp(x + {by}, 0, {p.size[0] - 1})", "y", access="whole")
    _define(d, "displaced", p, v, p.size, p.scale)
