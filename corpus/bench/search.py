"""The paper's experiment of section 6.3: three stages against one search over the same grammar.

    python -m corpus.bench.search [--limit SECONDS]

For simple functions, the time to a proved summary with suggestions, from terminals and operators alone in three
stages, and from the same grammar in one search, which is stopped at 100 times the staged time (at least at --limit).
"""

from __future__ import annotations

import time

import click
from rich.console import Console
from rich.table import Table

from corpus.cases import CASES, ROOT
from lifter.frontend import parse_file
from lifter.ir.loop_ir import Function
from synth.lift import lift_function
from synth.options import Options

FUNCTIONS = ("Blur1x3", "LerpLayers", "MaskedDarken", "Threshold", "Average")


@click.command()
@click.option("--limit", default=120.0, show_default=True, help="Seconds for one single search, at the most.")
def main(limit: float) -> None:
    """Prints the comparison."""
    table = Table(title="Search: three stages against one")
    for title in ("function", "suggested", "three stages", "one search", "ratio"):
        table.add_column(title, justify="left" if title == "function" else "right")
    for name in FUNCTIONS:
        parsed = parse_file(str(ROOT / CASES[name].file))
        function = next(f for f in parsed.functions if isinstance(f, Function) and f.name == name)
        suggested, _ = timed(function, Options())
        staged, status = timed(function, Options(suggestions=False))
        budget = min(limit, max(100 * staged, 10.0))
        single, outcome = timed(function, Options(suggestions=False, monolithic=True, timeout=budget))
        beyond = outcome != "verified"
        mark = ">" if beyond else ""
        table.add_row(
            name, f"{suggested:.2f} s", f"{staged:.2f} s" + ("" if status == "verified" else f" ({status})"),
            f"{mark}{single:.1f} s", f"{mark}{single / staged:.0f}x",
        )
    Console().print(table)


def timed(function: Function, options: Options) -> tuple[float, str]:
    """Seconds, and the status."""
    start = time.perf_counter()
    lifted = lift_function(function, options)
    return time.perf_counter() - start, lifted.status


if __name__ == "__main__":
    main()
