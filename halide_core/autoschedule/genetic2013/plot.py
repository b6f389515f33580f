"""The progress of a search as an SVG picture."""

from __future__ import annotations

from html import escape

from halide_core.autoschedule.genetic2013.state import State

_WIDTH, _HEIGHT, _LEFT, _TOP = 720, 360, 70, 30


def plot(state: State) -> str:
    """Milliseconds of the best schedule over seconds of searching, each step named by what found it."""
    points = state.history or [(0.0, 0.0, "nothing")]
    last = max(state.elapsed, points[-1][0], 1e-9)
    top = max(s for _, s, _ in points) * 1.05 or 1.0

    def at(seconds: float, run: float) -> tuple[float, float]:
        return _LEFT + seconds / last * (_WIDTH - _LEFT - 20), _TOP + (1 - run / top) * (_HEIGHT - _TOP - 50)

    path = ""
    before = points[0][1]
    marks: list[str] = []
    for seconds, run, how in points:
        x, y = at(seconds, run)
        _, old = at(seconds, before)
        path += f"{'L' if path else 'M'}{x:.1f},{old:.1f} L{x:.1f},{y:.1f} "
        title = escape(f"{1e3 * run:.3f} ms after {seconds:.1f} s: {how}")
        marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{title}</title></circle>')
        before = run
    x, y = at(last, before)
    path += f"L{x:.1f},{y:.1f}"
    ticks = []
    for k in range(5):
        _, y = at(0, top * k / 4)
        ticks.append(f'<line x1="{_LEFT}" x2="{_WIDTH - 20}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        ticks.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{250 * top * k:.3g}</text>')
        x, _ = at(last * k / 4, 0)
        ticks.append(f'<text x="{x:.1f}" y="{_HEIGHT - 30}" text-anchor="middle">{last * k / 4:.3g}</text>')
    counts = escape(", ".join(f"{n} {kind}" for kind, n in sorted(state.counts.items())))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="18">Milliseconds of the best schedule over seconds of searching: {counts}</text>',
        *ticks,
        f'<path d="{path}" fill="none" stroke="#1f6fb2" stroke-width="2"/>',
        f'<g fill="#1f6fb2">{"".join(marks)}</g>',
        "</svg>", "",
    ])
