"""A report as one HTML page: the Funcs, a timeline of a run, the loops and the schedule."""

from __future__ import annotations

from html import escape

from halide_core.autoschedule.report.report import Report, StageReport

_COLOURS = ("#1f6fb2", "#c8553d", "#588157", "#8e5ea2", "#b8860b", "#2a9d8f", "#6d597a", "#e07a5f", "#3d405b")
_STYLE = """
body { font-family: sans-serif; font-size: 14px; margin: 2em; color: #222 }
table { border-collapse: collapse } td, th { padding: 3px 10px; text-align: right; border-bottom: 1px solid #ddd }
td:nth-child(-n+4), th:nth-child(-n+4) { text-align: left } pre { background: #f6f6f6; padding: 1em; overflow-x: auto }
"""


def html(report: Report, title: str) -> str:
    """The page; it needs nothing beside itself."""
    colours = {s.func: _COLOURS[k % len(_COLOURS)] for k, s in enumerate(report.stages)}
    return "\n".join([
        "<!DOCTYPE html>", '<html lang="en"><head><meta charset="utf-8">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>", f"<p>One run: {1e3 * report.wall_s:.3f} ms. Times of Funcs are those of all "
        "threads together; predicted ones know arithmetic and reads from the nearest cache only.</p>",
        _table(report, colours),
        "<h2>Timeline</h2>", "<p>From when a Func is first begun to when it is last left. The darker part is the share "
        "of that time that one thread would be busy with it.</p>",
        _timeline(report, colours),
        "<h2>Loops</h2>", f"<pre>{_nest(report.loop_nest, colours)}</pre>",
        "<h2>Schedule</h2>", f"<pre>{escape(report.python)}</pre>", "</body></html>", "",
    ])


def _table(report: Report, colours: dict[str, str]) -> str:
    head = ("Func", "computed at", "stored at", "tile", "extents", "kept KB", "times", "recomputed", "predicted ms",
            "measured ms")
    rows = ["<tr>" + "".join(f"<th>{h}</th>" for h in head) + "</tr>"]
    for s in report.stages:
        cells = [f'<span style="color:{colours[s.func]}">&#9632;</span> {escape(s.func)}', escape(s.computed)]
        if s.computed == "inlined":
            cells += [""] * 8
        else:
            tile = " ".join(f"{d}: {' &times; '.join(map(str, f))}" for d, f in s.tile.items())
            cells += [
                escape(s.stored), tile, " &times; ".join(map(str, s.extents)), f"{s.kept_bytes / 1024:.1f}",
                f"{s.realizations:.0f}", f"{s.recomputation:.2f}", f"{1e3 * s.predicted_s:.3f}",
                "" if s.measured_s is None else f"{1e3 * s.measured_s:.3f}",
            ]
        rows.append("<tr>" + "".join(f"<td>{c}</td>" for c in cells) + "</tr>")
    return f"<table>{''.join(rows)}</table>"


def _timeline(report: Report, colours: dict[str, str]) -> str:
    shown = sorted((s for s in report.stages if s.measured_s is not None), key=lambda s: s.first_s)
    width, row, left = 900, 24, 160
    total = max(report.wall_s, 1e-9)
    bars: list[str] = []
    for k, s in enumerate(shown):
        bars += _bar(s, k * row + 4, left, (width - left) / total, row - 8, colours[s.func])
    height = row * len(shown) + 24
    ticks = [
        f'<text x="{left + (width - left) * k / 4:.0f}" y="{height - 6}" text-anchor="middle">'
        f"{1e3 * total * k / 4:.3g} ms</text>"
        for k in range(4)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-size="12">'
        f"{''.join(bars)}{''.join(ticks)}</svg>"
    )


def _bar(s: StageReport, y: float, left: float, scale: float, height: float, colour: str) -> list[str]:
    assert s.measured_s is not None
    x, length = left + s.first_s * scale, max((s.last_s - s.first_s) * scale, 1.0)
    busy = min(s.measured_s * scale, length)
    title = escape(f"{s.func}: {1e3 * s.measured_s:.3f} ms between {1e3 * s.first_s:.3f} and {1e3 * s.last_s:.3f} ms")
    return [
        f'<text x="{left - 8}" y="{y + height - 3}" text-anchor="end">{escape(s.func)}</text>',
        f'<g fill="{colour}"><title>{title}</title>',
        f'<rect x="{x:.1f}" y="{y}" width="{length:.1f}" height="{height}" opacity="0.3"/>',
        f'<rect x="{x:.1f}" y="{y}" width="{busy:.1f}" height="{height}"/></g>',
    ]


def _nest(text: str, colours: dict[str, str]) -> str:
    lines: list[str] = []
    plain = {f.partition("$")[0]: c for f, c in colours.items()}
    for line in text.splitlines():
        words = line.strip().rstrip(":").split()
        name = words[-1] if words and words[0] in ("produce", "consume", "store") else ""
        shown = escape(line)
        lines.append(f'<b style="color:{plain[name]}">{shown}</b>' if name in plain else shown)
    return "\n".join(lines)
