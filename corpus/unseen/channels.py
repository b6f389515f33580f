"""Stages over channels: greys, matrices of colours, single channels, mosaics and what is made of them."""

from __future__ import annotations

from corpus.unseen.definitions import Definitions, moved
from corpus.unseen.stage import Plane
from corpus.unseen.values import Value, cast, product, scaled_down, stored, weighted


def _colour(p: Plane) -> bool:
    return p.channels


def _grey(p: Plane) -> bool:
    return not p.channels


def grey(d: Definitions) -> None:
    """A weighted sum of the channels, or one of them."""
    p, rng = d.pick(_colour), d.rng
    if p is None:
        return
    if rng.random() < 0.25:
        v = d.read(p, c=str(rng.randint(0, 2)))
    else:
        taps = [d.read(p, c=str(n)) for n in range(3)]
        floats = p.type == "f32"
        v = weighted(rng, taps, [0.3, 0.59, 0.11] if floats else [77, 150, 29])
        v = stored(rng, v, 1 if floats else 256)
    s = d.stage("grey", ["x", "y"], [v], p.size)
    d.done(s, p.size, p.scale)


def coloured(d: Definitions) -> None:
    """Three channels from planes, from a plane, or by a matrix."""
    p, rng = d.pick(lambda p: p.size[0] * p.size[1] < 1_500_000), d.rng
    if p is None:
        return
    if p.channels:
        floats = p.type == "f32"
        rows = [[2, 0, -1], [-1, 3, 0], [0, -1, 2]] if rng.random() < 0.5 else [[1, 2, 1], [0, 1, -1], [-1, 0, 1]]
        values = []
        for row in rows:
            taps = [d.read(p, c=str(n)) for n, w in enumerate(row) if w]
            ws = [w for w in row if w]
            v = weighted(rng, taps, [w * 0.5 for w in ws] if floats else ws)
            values.append(v if floats else scaled_down(rng, v, 2))
        kind = "matrix"
    else:
        others = [q for q in d.planes if q.size == p.size and not q.channels]
        values = [d.near(q, n - 1, 0) for n, q in enumerate(rng.choice(others) for _ in range(3))]
        kind = "stacked"
    t = "f32" if any(v.is_float for v in values) else "i32"
    values = [cast(v, t) for v in values]
    low, high = min(v.low for v in values), max(v.high for v in values)
    text = f"hl.mux(c, [{', '.join(v.text for v in values)}])"
    s = d.stage(kind, ["x", "y", "c"], [stored(rng, Value(text, t, low, high))], (*p.size, 3))
    d.done(s, p.size, p.scale)


def gained(d: Definitions) -> None:
    """Each channel times a plane."""
    p = d.pick(_colour)
    if p is None:
        return
    size = p.size
    q = d.pick(lambda q: _grey(q) and q.size == size)
    if q is None:
        return
    v = product(d.rng, d.near(p, 0, 0), d.near(q, 0, 0))
    d.plane("gained", p, stored(d.rng, v if v.is_float else scaled_down(d.rng, v, 128)))


def mosaic(d: Definitions) -> None:
    """One channel at each pixel, by the parity of its coordinates, or another formula at each site."""
    p, rng = d.pick(), d.rng
    assert p is not None
    if p.channels:
        red, green, blue = (d.read(p, c=str(n)).text for n in range(3))
        text = f"hl.select(x % 2 == y % 2, {green}, hl.select(x % 2 == 0, {red}, {blue}))"
        v = Value(text, p.type, p.low, p.high)
    else:
        t = "f32" if p.type == "f32" else "i32"
        half = 0.5 if t == "f32" else 1
        pairs = [weighted(rng, [d.near(p, -i, -j), d.near(p, i, j)], [half, half]) for i, j in ((1, 0), (0, 1))]
        across, down = (cast(v, t).text for v in pairs)
        here = f"{cast(d.near(p, 0, 0), t).text} * 2" if t == "i32" else d.near(p, 0, 0).text
        text = rng.choice((
            f"hl.select(y % 2 == 0, {here}, hl.select(x % 2 == 0, {down}, {across}))",
            f"hl.select((x % 2 == 0) & (y % 2 == 0), {here}, {across})",
            f"hl.select(y % 2 == 0, {across}, {down})",
        ))
        factor = 1 if t == "f32" else 2
        v = stored(rng, Value(text, t, min(0.0, p.low * factor), p.high * factor), factor)
    s = d.stage("mosaic", ["x", "y"], [v], p.size)
    d.done(s, p.size, p.scale)


def demosaiced(d: Definitions) -> None:
    """Three channels of a mosaic: at each site its own, the others from neighbours."""
    p, rng = d.pick(lambda p: _grey(p) and p.size[0] * p.size[1] < 1_500_000), d.rng
    if p is None:
        return
    floats = p.type == "f32"

    def mean(*offsets: tuple[int, int]) -> str:
        taps = [d.near(p, *o) for o in offsets]
        v = weighted(rng, taps, [1 / len(taps) if floats else 1] * len(taps))
        return cast(v if floats else scaled_down(rng, v, len(taps)), p.type).text

    here = d.near(p, 0, 0).text
    across, down = mean((-1, 0), (1, 0)), mean((0, -1), (0, 1))
    corners = mean((-1, -1), (1, -1), (-1, 1), (1, 1))
    cross = mean((-1, 0), (1, 0), (0, -1), (0, 1))
    even_x, even_y = "x % 2 == 0", "y % 2 == 0"
    green = f"hl.select({even_x}, hl.select({even_y}, {here}, {cross}), hl.select({even_y}, {cross}, {here}))"
    red = f"hl.select({even_y}, hl.select({even_x}, {across}, {here}), hl.select({even_x}, {corners}, {down}))"
    blue = f"hl.select({even_y}, hl.select({even_x}, {down}, {corners}), hl.select({even_x}, {here}, {across}))"
    text = f"hl.mux(c, [{red}, {green}, {blue}])"
    s = d.stage("demosaic", ["x", "y", "c"], [Value(text, p.type, p.low, p.high)], (*p.size, 3))
    d.done(s, p.size, p.scale)


def shifted_channels(d: Definitions) -> None:
    """Each channel displaced by its own number of pixels (as for lateral aberration)."""
    p = d.pick(_colour)
    if p is None:
        return
    by = d.rng.choice((1, 2))
    v = d.read(p, f"x + c * {by}" if d.rng.random() < 0.5 else moved("x", by), "y", by=2 * by + 1)
    d.plane("shifted", p, v)
