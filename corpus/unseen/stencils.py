"""Stages that read near their own point: weighted rows, columns and windows, extremes, convolutions, best matches."""

from __future__ import annotations

import random

from corpus.unseen.definitions import Definitions, moved
from corpus.unseen.stage import Plane, Update
from corpus.unseen.values import NUMPY, Value, cast, literal, stored, weighted

Offset = tuple[int, int]


def weights(rng: random.Random, count: int, floats: bool, symmetric: bool = True) -> list[float]:
    """Of a filter: small whole numbers, or floats that add up to one."""
    half = [rng.randint(1, 6) for _ in range((count + 1) // 2)]
    whole = half + half[: count // 2][::-1] if symmetric else [rng.randint(1, 6) for _ in range(count)]
    return [round(w / sum(whole), 4) for w in whole] if floats else [*map(float, whole)]


def filtered(d: Definitions, p: Plane, offsets: list[Offset], ws: list[float]) -> Value:
    """A weighted sum of what lies around, normalised."""
    floats = p.type == "f32"
    taps = [d.near(p, dx, dy) for dx, dy in offsets]
    v = weighted(d.rng, taps, ws if floats else [int(w) for w in ws])
    return stored(d.rng, v, 1 if floats else max(1, int(sum(abs(w) for w in ws))))


def _line(d: Definitions, along_x: bool) -> list[Offset]:
    n = d.rng.randint(1, 4)
    first = -n if d.rng.random() < 0.75 else 0
    return [(k, 0) if along_x else (0, k) for k in range(first, n + 1)]


def rows(d: Definitions) -> None:
    """A filter along x."""
    _filter_along(d, True)


def columns(d: Definitions) -> None:
    """A filter along y."""
    _filter_along(d, False)


def _filter_along(d: Definitions, along_x: bool) -> None:
    p = d.pick()
    assert p is not None
    offsets = _line(d, along_x)
    d.plane("row" if along_x else "col", p, filtered(d, p, offsets, weights(d.rng, len(offsets), p.type == "f32")))


def separable(d: Definitions) -> None:
    """A filter along one axis and then the other."""
    first = d.rng.random() < 0.5
    _filter_along(d, first)
    last = d.planes[-1]
    offsets = _line(d, not first)
    kind = "col" if first else "row"
    d.plane(kind, last, filtered(d, last, offsets, weights(d.rng, len(offsets), last.type == "f32")))


def window(d: Definitions) -> None:
    """A filter over a window, written out: a box, a blur, a Laplacian, a gradient."""
    p, rng = d.pick(), d.rng
    assert p is not None
    floats = p.type == "f32"
    square = [(i, j) for j in (-1, 0, 1) for i in (-1, 0, 1)]
    match rng.choice(("box", "blur", "cross", "sobel")):
        case "box":
            d.plane("box", p, filtered(d, p, square, [round(1 / 9, 4) if floats else 1.0] * 9))
        case "blur":
            whole = [1.0, 2.0, 1.0, 2.0, 4.0, 2.0, 1.0, 2.0, 1.0]
            d.plane("blur", p, filtered(d, p, square, [w / 16 for w in whole] if floats else whole))
        case "cross":
            taps = [d.near(p, dx, dy) for dx, dy in ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))]
            scale = 0.25 if floats else 1
            v = weighted(rng, taps, [4 * scale, -scale, -scale, -scale, -scale])
            d.plane("laplacian", p, stored(rng, v))
        case _:
            around = [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)]
            if rng.random() < 0.5:
                around = [(j, i) for i, j in around]
            ws: list[float] = [-1, -2, -1, 1, 2, 1]
            v = weighted(rng, [d.near(p, *o) for o in around], [w / 8 for w in ws] if floats else ws)
            d.plane("gradient", p, stored(rng, v))


def extremes(d: Definitions) -> None:
    """Erosion, dilation, or a median of three."""
    p, rng = d.pick(), d.rng
    assert p is not None
    match rng.choice(("median", "line", "inline")):
        case "median":
            a, b, c = (d.near(p, *o).text for o in rng.choice((((-1, 0), (0, 0), (1, 0)), ((0, -1), (0, 0), (0, 1)))))
            text = f"hl.max(hl.min({a}, {b}), hl.min(hl.max({a}, {b}), {c}))"
        case "line":
            name, offsets = rng.choice(("min", "max")), _line(d, rng.random() < 0.5)
            text = d.near(p, *offsets[0]).text
            for o in offsets[1:]:
                text = f"hl.{name}({text}, {d.near(p, *o).text})"
        case _:
            ends = rng.randint(1, 3), rng.randint(0, 2)
            r, line = d.domain(*((-n, 2 * n + 1) for n in ends))
            v = d.read(p, f"x + {r}.x", f"y + {r}.y", by=max(ends))
            text = f"hl.{rng.choice(('minimum', 'maximum'))}({r}, {v.text})"
            d.plane("extreme", p, Value(text, p.type, p.low, p.high), before=[line])
            return
    d.plane("extreme", p, Value(text, p.type, p.low, p.high))


def convolution(d: Definitions) -> None:
    """A sum over a window by a reduction, with weights that are computed, stored first, or a constant Buffer."""
    p, rng = d.pick(lambda p: p.size[0] * p.size[1] * (1 + 2 * p.channels) < 3_000_000), d.rng
    if p is None:
        return
    floats = p.type == "f32"
    nx, ny = rng.choice(((1, 1), (2, 2), (3, 3), (4, 0), (0, 3), (2, 1)))
    t = "f32" if floats else "i32"
    r, line = d.domain((-nx, 2 * nx + 1), (-ny, 2 * ny + 1))
    kind, before = rng.choice(("computed", "stored", "stored", "constant")), [line]
    bell = f"(1 + {nx} - hl.abs({{i}})) * (1 + {ny} - hl.abs({{j}}))"
    total = (1 + nx) ** 2 * (1 + ny) ** 2
    kernel = ""
    if kind == "stored":
        text = bell.replace("{i}", "x").replace("{j}", "y")
        text = f"hl.f32({text}) / {literal(total, t)}" if floats else f"hl.i32({text})"
        table = d.stage("kernel", ["x", "y"], [Value(text, t, 0, total)], (2 * nx + 1, 2 * ny + 1))
        kernel = table.name
    elif kind == "constant":
        kernel = d.name("kernel")
        values = [[(1 + nx - abs(i)) * (1 + ny - abs(j)) for i in range(-nx, nx + 1)] for j in range(-ny, ny + 1)]
        array = f"np.array({values}) / {total}" if floats else f"np.array({values})"
        before.append(f'{kernel} = hl.Buffer(({array}).astype("{NUMPY[t]}"))')
    zero = Value(f"hl.{t}(0)", t, 0, 0)
    dims = ["x", "y", "c"] if p.channels else ["x", "y"]
    s = d.stage("conv", dims, [zero], d.extents(p), before)
    v = cast(d.read(p, f"x + {r}.x", f"y + {r}.y", by=max(nx, ny)), t)
    if kind == "computed":
        weight = bell.replace("{i}", f"{r}.x").replace("{j}", f"{r}.y")
        weight = f"hl.f32({weight}) * {literal(1 / total, t)}" if floats else f"({weight})"
    elif kind == "stored":
        weight = f"{kernel}[{r}.x, {r}.y]"
        d.read(Plane(kernel, t, 0, total, (0, 0)), f"{r}.x", f"{r}.y", access="whole")
    else:
        weight = f"{kernel}[{r}.x + {nx}, {r}.y + {ny}]"
    at = ", ".join(dims)
    domain = [(f"{r}.x", 2 * nx + 1), (f"{r}.y", 2 * ny + 1)]
    d.update(s, f"{s.name}[{at}] += {v.text} * {weight}", Update("window", dims, domain, not floats))
    grown = 1.0 if floats else float(total)
    d.done(s, p.size, p.scale, (min(0.0, v.low * grown), max(0.0, v.high * grown)))
    if not floats:
        # Sums of integers are too large to go on with.
        last = d.planes[-1]
        d.plane("scaled", last, stored(rng, cast(d.near(last, 0, 0), "i32"), total))


def best_match(d: Definitions) -> None:
    """The offset of the window's best match along a row, as argmin or as a Tuple with an update."""
    p, rng = d.pick(lambda p: p.exact and p.type != "f32" and not p.channels), d.rng
    if p is None:
        return
    q = d.pick(lambda q: q.size == p.size and q.exact and q.type != "f32" and not q.channels) or p
    n = rng.randint(3, 9)
    r, line = d.domain((0, n))
    here = cast(d.near(p, 0, 0), "i32").text
    there = cast(d.read(q, moved(f"x + {r}.x", rng.randint(1, 3)), "y", by=n + 3), "i32").text
    apart = f"hl.abs({here} - {there})"
    most = p.magnitude() + q.magnitude()
    if rng.random() < 0.4:
        which = rng.choice(("argmin", "argmax"))
        d.plane("match", p, Value(f"hl.{which}({r}, {apart})[0]", "i32", 0, n - 1), before=[line])
        return
    reads = d.put_off()
    start = [Value("hl.i32(0)", "i32", 0, n - 1), Value(f"hl.i32({int(most) + 1})", "i32", 0, most + 1)]
    s = d.stage("best", ["x", "y"], start, p.size, [line])
    d.resume(reads)
    old = f"{s.name}[x, y]"
    text = f"{old} = (hl.select({apart} < {old}[1], {r}.x, {old}[0]), hl.min({apart}, {old}[1]))"
    d.update(s, text, Update("window", ["x", "y"], [(f"{r}.x", n)]))
    d.done(s, p.size, p.scale)
