"""What a campaign shows: the distribution of the ratios, the worst pairs and the findings as scripts, JSON."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from rich.table import Table

from corpus.unseen.measure import Finding, Result
from corpus.unseen.pipeline import random_pipeline
from corpus.unseen.script import script
from lifter.harness.timing import machine

SLOW, SLOWER = 0.85, 0.7
"""Ratios below which the share of pairs is told."""
WORST = 10


def distribution(results: Sequence[Result]) -> Table:
    """Geometric mean, 5 %, median, least, and shares below SLOW and SLOWER; of compiling the other way round."""
    table = Table(title=f"{len(results)} pairs", title_justify="left")
    table.add_column("")
    for head in ("geometric mean", "5 %", "median", "least", f"below {SLOWER}", f"below {SLOW}"):
        table.add_column(head, justify="right")
    for name, values in (
        ("run: theirs / ours", [r.ratio for r in results if r.ratio is not None]),
        ("compile: theirs / ours", [1 / r.compile_ratio for r in results if r.compile_ratio]),
    ):
        if values:
            table.add_row(name, *_figures(values))
    return table


def _figures(values: Sequence[float]) -> list[str]:
    mean, low = statistics.geometric_mean(values), float(np.percentile(values, 5))
    figures = [mean, low, statistics.median(values), min(values)]
    shares = [sum(v < bound for v in values) / len(values) for bound in (SLOWER, SLOW)]
    return [f"{v:.2f}" for v in figures] + [f"{share:.0%}" for share in shares]


def line(r: Result) -> str:
    """One line on a pair, for who waits."""
    times = ", ".join(f"{n} {ms:.2f} ms" for n, ms in r.ms.items())
    compiled = ", ".join(f"{n} {s:.1f} s" for n, s in r.compile_s.items())
    size = "x".join(map(str, r.size))
    differs = f"; RESULTS DIFFER: {r.differs}" if r.differs else ""
    return f"{r.seed} ({r.stages} stages, {size}): {r.ratio or 0:.2f}; {times}; compiled {compiled}{differs}"


def worst(results: Sequence[Result]) -> list[Result]:
    """The pairs with the least ratios, least first."""
    return sorted((r for r in results if r.ratio is not None), key=lambda r: r.ratio or 0.0)[:WORST]


def result_script(r: Result) -> str:
    """A pair as a script of its own."""
    times = ", ".join(f"{n} {ms:.2f} ms" for n, ms in r.ms.items())
    return script(random_pipeline(r.seed), r.directives, f"Seed {r.seed}, ratio {r.ratio or 0:.2f}: {times}.")


def finding_line(f: Finding) -> str:
    """One line on a finding."""
    what = re.sub(r"\s+", " ", f.what)
    return f"{f.seed}: {f.who}: {what[:300]}"


def write(folder: Path, results: Sequence[Result], findings: Sequence[Finding], about: dict[str, object]) -> None:
    """Writes `unseen.json`, the worst pairs and the findings into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = {
        "about": about, "machine": machine(), "results": [asdict(r) for r in results],
        "findings": [asdict(f) for f in findings],
    }
    (folder / "unseen.json").write_text(json.dumps(figures, indent=1) + "\n")
    for old in folder.glob("*.py"):
        old.unlink()
    for n, r in enumerate(worst(results), 1):
        (folder / f"worst_{n:02}_seed_{r.seed}.py").write_text(result_script(r))
    for n, f in enumerate(findings, 1):
        title = finding_line(f).replace("\\", "/").replace('"', "'")
        text = script(random_pipeline(f.seed), f.directives, title)
        (folder / f"finding_{n:02}_seed_{f.seed}.py").write_text(text)
