"""The command line `lift` (DESIGN section 5)."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import click
from rich.console import Console

from lifter.api import EMIT_KINDS, FileReport, SourceError, UsageError, lift_file
from lifter.report import print_file_report
from synth.options import Options

EXIT_VERIFIED, EXIT_SOME_NOT, EXIT_USAGE = 0, 1, 2

EPILOG = """\b
Other commands:
  lift bench FILE_OR_DIR...   time lifted functions against the originals
Flags for clang go after `--`:  lift legacy.cpp -- -Iinclude -DNDEBUG
Exit status: 0 all selected functions verified, 1 some not, 2 usage, unreadable file or parse errors."""


@click.command(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("-f", "--function", "functions", multiple=True, metavar="NAME", help="Lift this function only (repeatable).")
@click.option("-o", "--out", default="lifted", show_default=True, metavar="DIR", help="Folder for the outputs.")
@click.option("--emit", default="dsl", show_default=True, metavar="KIND,...", help=f"What to write: {', '.join(EMIT_KINDS)}.")
@click.option("--target", default="host", show_default=True, help="Halide target of compiled outputs.")
@click.option("--autoscheduler", default="", metavar="NAME", help="Autoscheduler of compiled outputs (default: built in).")
@click.option("--timeout", default=60.0, show_default=True, metavar="S", help="Seconds for one function.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a file on standard output.")
@click.option("--model", "models", multiple=True, metavar="FILE", help="C++ definitions that stand for external functions.")
@click.option("--no-suggestions", is_flag=True, help="Search from terminals and operators alone.")
@click.option("--monolithic", is_flag=True, help="One search over the whole grammar instead of three stages.")
@click.option("--unverified", is_flag=True, help="Also write what was found but not proved, marked as such.")
@click.option("-q", "--quiet", is_flag=True, help="Print failures only.")
def lift_command(
    files: tuple[str, ...], functions: tuple[str, ...], out: str, emit: str, target: str, autoscheduler: str,
    timeout: float, as_json: bool, models: tuple[str, ...], no_suggestions: bool, monolithic: bool, unverified: bool,
    quiet: bool,
) -> None:
    """Find what the image-processing functions in FILE compute, prove it, and write it as Halide."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    clang_args: list[str] = click.get_current_context().obj or []
    if not files:
        _stop(console, "no input file; usage: lift FILE... [options] [-- CLANG_ARGS]")
    if timeout <= 0:
        _stop(console, f"--timeout must be positive, not {timeout:g}")
    if autoscheduler:
        _stop(console, f"unknown autoscheduler '{autoscheduler}'; only the built-in default schedule exists so far")
    options = Options(suggestions=not no_suggestions, monolithic=monolithic, timeout=timeout)
    kinds = [k.strip() for k in emit.split(",") if k.strip()]
    reports: list[FileReport] = []
    failed = False
    for path in files:
        try:
            with console.status(f"{path}: parsing") as status:
                report = lift_file(
                    path, functions=functions, out=out, emit=kinds, target=target, models=models,
                    clang_args=clang_args, options=options, unverified=unverified,
                    progress=lambda name, doing, p=path: status.update(f"{p}: {doing} {name}"),  # type: ignore[misc]
                )
        except (SourceError, UsageError) as problem:
            console.print(f"[red]error:[/] {problem}", markup=True)
            failed = True
            continue
        reports.append(report)
        print_file_report(console, report, quiet)
        if as_json:
            sys.stdout.write(json.dumps(report.as_json()) + "\n")
    if failed:
        sys.exit(EXIT_USAGE)
    sys.exit(EXIT_VERIFIED if all(r.verified for r in reports) else EXIT_SOME_NOT)


def _stop(console: Console, message: str) -> None:
    console.print(f"error: {message}", markup=False)
    sys.exit(EXIT_USAGE)


def main(argv: Sequence[str] | None = None) -> None:
    """Entry point of `lift`: splits off the flags for clang and dispatches."""
    args = list(sys.argv[1:] if argv is None else argv)
    clang_args: list[str] = []
    if "--" in args:
        position = args.index("--")
        args, clang_args = args[:position], args[position + 1 :]
    if args and args[0] == "bench":
        from lifter.bench import bench_command

        bench_command.main(args[1:], prog_name="lift bench", obj=clang_args)
    lift_command.main(args, prog_name="lift", obj=clang_args)
