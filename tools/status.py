"""docs/status.md: what the corpus holds and what was measured, from the manifests and the pages of docs/figures.

    python -m tools.status            writes the page
    python -m tools.status --check    fails where it is not what would be written"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from corpus.manifest import STATUSES, SUITES, entries

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "status.md"
_SUITES = {
    "dexter": "the figures of the paper on Dexter",
    "blend": "blending of layers",
    "filter": "filters, geometry, formats, statistics",
    "sse_blend": "blending in SSE2 to AVX2",
    "pipelines": "whole pipelines in plain C++",
}


def text() -> str:
    """The page."""
    found = entries(SUITES)
    lines = [
        "# Status",
        "",
        "Written by `make status` from the manifests of the corpus and the pages of [figures](figures); do not edit.",
        "[coverage.md](coverage.md) says what is lifted, [roadmap.md](roadmap.md) what is missing.",
        "",
        "## The corpus",
        "",
        f"{len(found)} functions in the styles of twenty years, with the status that `make corpus` holds them to.",
        "",
        f"| suite | what | functions | {' | '.join(STATUSES)} |",
        f"|---|---|--:|{'--:|' * len(STATUSES)}",
    ]
    for suite in SUITES:
        counts = Counter(e.status for e in found if e.suite == suite)
        numbers = " | ".join(str(counts[s]) for s in STATUSES)
        lines.append(f"| {suite} | {_SUITES[suite]} | {counts.total()} | {numbers} |")
    lines += ["", "Not verified:", "", "| function | status | why |", "|---|---|---|"]
    lines += [f"| `{e.name}` | {e.status} | {e.reason} |" for e in found if e.status != "verified"]
    lines += ["", "## Figures", ""]
    for page in sorted((ROOT / "docs" / "figures").glob("*.md")):
        title = page.read_text().splitlines()[0].removeprefix("# ")
        lines.append(f"- [{title}](figures/{page.name})")
    return "\n".join(lines) + "\n"


def main() -> int:
    """The exit status: 1 where `--check` finds another page."""
    parser = argparse.ArgumentParser(description="writes docs/status.md")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the page is another one")
    if not parser.parse_args().check:
        PAGE.write_text(text())
        return 0
    if PAGE.read_text() == text():
        return 0
    print("docs/status.md is not what `make status` writes: run it", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
