"""Stages over whole images: histograms and their use, tables, scans, sums of rows and columns."""

from __future__ import annotations

from corpus.unseen.definitions import Definitions
from corpus.unseen.stage import Plane, Update
from corpus.unseen.values import INTEGERS, Value, cast, stored, weighted


def _chooses(p: Plane) -> bool:
    """Whether a plane's values may choose places."""
    return p.exact and p.type != "f32"


def _bin(p: Plane, v: Value, count: int) -> str:
    """A value's place among `count` of equal width."""
    wide = cast(v, "i32").text
    if p.type == "u8" and count == 256:
        return wide
    low, span = int(p.low), int(p.high) - int(p.low) + 1
    shifted = f"({wide} - {low})" if low > 0 else f"({wide} + {-low})" if low < 0 else wide
    return f"hl.clamp({shifted} * {count} / {span}, 0, {count - 1})"


def histogram(d: Definitions) -> None:
    """A count by value over the image, often added up, and a plane mapped by it."""
    p, rng = d.pick(lambda p: _chooses(p) and not p.channels), d.rng
    if p is None:
        return
    bins = rng.choice((64, 256, 256))
    width, height = p.size
    step = rng.choice((1, 1, 1, 2))
    r, line = d.domain((0, width // step), (0, height // step))
    s = d.stage("hist", ["i"], [Value("hl.i32(0)", "i32", 0, 0)], (bins,), [line])
    at = (f"{r}.x", f"{r}.y") if step == 1 else (f"{r}.x * {step}", f"{r}.y * {step}")
    v = d.read(p, *at, access="whole")
    domain = [(f"{r}.x", width // step), (f"{r}.y", height // step)]
    d.update(s, f"{s.name}[{_bin(p, v, bins)}] += 1", Update("histogram", [], domain, True))
    d.forget()
    total = (width // step) * (height // step)
    table = s.name
    if rng.random() < 0.7:
        table = _added_up(d, table, bins)
    v = d.near(p, 0, 0)
    d.read(Plane(table, "i32", 0, total, (bins, 1)), access="whole")
    text = f"hl.clamp({table}[{_bin(p, v, bins)}] * 255 / {total}, 0, 255)"
    d.plane("equalized", p, Value(f"hl.u8({text})", "u8", 0, 255))


def _added_up(d: Definitions, table: str, bins: int) -> str:
    d.read(Plane(table, "i32", 0, 0, (bins, 1)), access="whole")
    r, line = d.domain((1, bins - 1))
    s = d.stage("cdf", ["i"], [Value(f"{table}[i]", "i32", 0, 0)], (bins,), [line])
    d.read(Plane(table, "i32", 0, 0, (bins, 1)), access="whole")
    update = Update("table", [], [(f"{r}.x", bins - 1)])
    d.update(s, f"{s.name}[{r}.x] = {s.name}[{r}.x - 1] + {table}[{r}.x]", update)
    d.forget()
    return s.name


def lookup(d: Definitions) -> None:
    """A table, computed or constant, at a clamped value."""
    p, rng = d.pick(_chooses), d.rng
    if p is None:
        return
    bins = rng.choice((256, 256, 1024))
    u = f"hl.f32(i) / {bins - 1}"
    made = {
        "u8": Value(f"hl.u8((i * i / {bins} * 255) / {bins})", "u8", 0, 255),
        "i16": Value(f"hl.i16(i * 3 - {bins})", "i16", -bins, 2 * bins),
        "i32": Value(f"(i * (2 * {bins} - i)) / 16", "i32", 0, bins * bins / 16),
        "f32": Value(f"hl.pow({u}, hl.f32(0.45))", "f32", 0, 1),
    }[rng.choice(("u8", "u8", "i16", "i32", "f32"))]
    before: list[str] = []
    if rng.random() < 0.75:
        s = d.stage("lut", ["i"], [made], (bins,))
        name = s.name
        d.forget()
        d.read(Plane(name, made.type, made.low, made.high, (bins, 1), exact=made.type != "f32"), access="whole")
    else:
        name = d.name("lut")
        values = {"u8": f"i * i // {bins} * 255 // {bins}", "f32": f"(i / {bins - 1}) ** 0.45"}
        made = made if made.type in values else Value("", "u8", 0, 255)
        t = "uint8" if made.type == "u8" else "float32"
        before.append(f'{name} = hl.Buffer(np.array([{values[made.type]} for i in range({bins})]).astype("{t}"))')
    v = d.near(p, 0, 0)
    clamped = p.low >= 0 and rng.random() < 0.5
    place = f"hl.clamp(hl.i32({v.text}), 0, {bins - 1})" if clamped else _bin(p, v, bins)
    d.plane("mapped", p, Value(f"{name}[{place}]", made.type, made.low, made.high), before=before)


def scan(d: Definitions) -> None:
    """A recursive filter or a running sum along rows or columns, forwards, or forwards and backwards."""
    p, rng = d.pick(lambda p: p.element is None), d.rng
    if p is None:
        return
    along_x = rng.random() < 0.45
    extent = p.size[0] if along_x else p.size[1]
    floats = p.type == "f32"
    form = "filter" if floats else rng.choice(("filter", "sum", "maximum"))
    if form == "sum" and p.magnitude() * extent > 1 << 28:
        form = "filter"
    start = d.near(p, 0, 0)
    t = "f32" if floats else p.type if form == "maximum" else "i32"
    ways = [1] if form == "sum" or rng.random() < 0.6 else [1, -1]
    dims = ["x", "y", "c"] if p.channels else ["x", "y"]
    low, high = p.low, p.high
    if form == "sum":
        low, high = min(0.0, p.low * extent), max(0.0, p.high * extent)
    s = d.stage("scan", dims, [Value(cast(start, t).text, t, low, high)], d.extents(p))
    for way in ways:
        r, line = d.domain((1, extent - 1))
        here = f"{r}.x" if way > 0 else f"{extent - 1} - {r}.x"
        before = f"{r}.x - 1" if way > 0 else f"{extent} - {r}.x"
        ends = [(e, "y") if along_x else ("x", e) for e in (here, before)]
        at, previous = (f"{s.name}[{', '.join([*e, *dims[2:]])}]" for e in ends)
        if form == "sum":
            read = d.read(p, ends[0][0], ends[0][1], access="row" if along_x else "column")
            value = f"{previous} + {cast(read, t).text}"
        elif form == "maximum":
            faded = f"{previous} - hl.min({previous}, hl.{t}(2))" if p.low >= 0 else previous
            value = f"hl.max({faded}, {at})"
        elif floats:
            value = f"{previous} * hl.f32(0.6) + {at} * hl.f32(0.4)"
        else:
            value = f"({previous} * 3 + {at}) / 4"
        pure = [v for v in dims if v != ("x" if along_x else "y")]
        update = Update("scan x" if along_x else "scan y", pure, [(f"{r}.x", extent - 1)])
        d.update(s, f"{at} = {value}", update, [line])
    d.done(s, p.size, p.scale, (low, high))
    if form == "sum":
        _between(d, d.planes[-1], along_x, p)


def _between(d: Definitions, sums: Plane, along_x: bool, p: Plane) -> None:
    """A box filter by a difference of running sums."""
    n = d.rng.randint(2, 12)
    extent = p.size[0] if along_x else p.size[1]
    ends = []
    for by in (n, -n):
        name = "x" if along_x else "y"
        place = f"hl.clamp({name} {'+' if by > 0 else '-'} {n}, 0, {extent - 1})"
        ends.append(d.read(sums, *((place, "y") if along_x else ("x", place)), access="stencil", by=n).text)
    v = Value(f"({ends[0]} - {ends[1]})", "i32", min(0.0, p.low * 2 * n), max(0.0, p.high * 2 * n))
    d.plane("between", p, stored(d.rng, v, 2 * n))


def totals(d: Definitions) -> None:
    """Sums of each row or column, and a plane held against their means."""
    p, rng = d.pick(lambda p: not p.channels), d.rng
    if p is None:
        return
    along_x = rng.random() < 0.5
    extent, kept = (p.size[0], "y") if along_x else (p.size[1], "x")
    t = "f32" if p.type == "f32" else "i32"
    if t == "i32" and p.magnitude() * extent > INTEGERS["i32"][1] // 2:
        return
    r, line = d.domain((0, extent))
    s = d.stage("total", [kept], [Value(f"hl.{t}(0)", t, 0, 0)], (p.size[1] if along_x else p.size[0],), [line])
    place = (f"{r}.x", "y") if along_x else ("x", f"{r}.x")
    v = cast(d.read(p, *place, access="row" if along_x else "column"), t)
    update = Update("sums", [kept], [(f"{r}.x", extent)], t == "i32")
    d.update(s, f"{s.name}[{kept}] += {v.text}", update)
    d.forget()
    d.read(Plane(s.name, t, 0, 0, (extent, 1)), access="stencil")
    mean = f"{s.name}[{kept}] * {1 / extent:.7f}" if t == "f32" else f"{s.name}[{kept}] / {extent}"
    mean = mean.replace("* ", "* hl.f32(") + ")" if t == "f32" else mean
    here = cast(d.near(p, 0, 0), t)
    d.plane("centred", p, stored(rng, weighted(rng, [here, Value(f"({mean})", t, p.low, p.high)], [1, -1])))
