"""The command line `lift`."""

from __future__ import annotations

import gc
import json
import math
import os
import re
import sys
from collections.abc import Sequence
from importlib import metadata

import click
from rich.console import Console

from lifter.api import EMIT_KINDS, FileReport, SourceError, UsageError, defined_nowhere
from lifter.commands import COMMANDS, complete, flags_apart, load, meant
from lifter.commands.config import config_for
from lifter.commands.file_task import FileTask, Request
from lifter.commands.pipes import from_pipe, is_pipe, name_of
from lifter.running.report import print_file_report
from lifter.support.console import open_console
from lifter.support.errors import LiftError
from lifter.support.progress import StatusLine
from lifter.support.stdout import write_line
from lifter.toolchain.command import command_for
from lifter.toolchain.database import DatabaseError, command_in
from synth.expression.grammar import Grammar, GrammarError, read_grammar
from synth.options import Options

EXIT_VERIFIED, EXIT_SOME_NOT, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130

EPILOG = """\b
Other commands:
  lift batch DIR              lift a whole code base, or the files of a compile_commands.json
  lift explain FILE -f NAME   say why a function is not lifted: stage, line, closest candidate, counterexample
  lift bench FILE_OR_DIR...   time lifted functions against the originals
  lift replay DIR             run a kept call on which a lifted function and its original differ
  lift compose DOC.py         compile a pipeline of lifted functions as a whole
Flags for the compiler go after `--`:  lift legacy.cpp -- -Iinclude -DNDEBUG
Exit status: 0 all selected functions verified, 1 some not, 2 usage, unreadable file or parse errors."""
KINDS = ", ".join(EMIT_KINDS)


@click.command(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("-f", "--function", "functions", multiple=True, metavar="NAME", help="Lift this one only (repeatable).")
@click.option("-o", "--out", default="lifted", show_default=True, metavar="DIR", help="Folder for the outputs.")
@click.option("--emit", default="dsl", show_default=True, metavar="KIND,...", help=f"What to write: {KINDS}.")
@click.option("--target", default="host", show_default=True, help="Halide target of compiled outputs.")
@click.option("--autoscheduler", default="", metavar="NAME", help="Autoscheduler of compiled outputs.")
@click.option("--timeout", default=60.0, show_default=True, metavar="S", help="Seconds for one function.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a file on standard output.")
@click.option("--model", "models", multiple=True, metavar="PATH", help="Definitions of external functions, or folder.")
@click.option("-p", "build", metavar="BUILD_DIR", help="Take commands from BUILD_DIR/compile_commands.json.")
@click.option("--grammar", metavar="FILE", help="Operators and constants of the expression search, in TOML.")
@click.option("--no-suggestions", is_flag=True, help="Search from terminals and operators alone.")
@click.option("--monolithic", is_flag=True, help="One search over the whole grammar instead of three stages.")
@click.option("--unverified", is_flag=True, help="Also write what was found but not proved, marked as such.")
@click.option("--loops", is_flag=True, help="Of functions that are not lifted, lift the loops.")
@click.option("--no-run", is_flag=True, help="Do not run what is proved beside the compiled original.")
@click.option("--check-rewritings", is_flag=True, help="Prove what is made of paths before the search, or sample it.")
@click.option("--dry-run", is_flag=True, help="Say what would be lifted, and how it is compiled.")
@click.option("-q", "--quiet", is_flag=True, help="Print failures only.")
@click.version_option(metadata.version("lifter"), "--version", prog_name="lift")
def lift_command(
    files: tuple[str, ...], functions: tuple[str, ...], out: str, emit: str, target: str, autoscheduler: str,
    timeout: float, as_json: bool, models: tuple[str, ...], build: str | None, grammar: str | None,
    no_suggestions: bool, monolithic: bool, unverified: bool, loops: bool, no_run: bool, check_rewritings: bool,
    dry_run: bool, quiet: bool,
) -> None:
    """Find what the image-processing functions in FILE compute, prove it, and write it as Halide.

    FILE may be -, for standard input; a folder is lifted as by `lift batch`."""
    console = open_console()
    clang_args: list[str] = click.get_current_context().obj or []
    kinds = list(dict.fromkeys(k.strip() for k in emit.split(",") if k.strip()))
    _check_files(files)
    if os.path.isdir(files[0]) and len(files) == 1:
        _lift_folder(click.get_current_context(), files[0])
    if not (timeout > 0 and math.isfinite(timeout)):
        raise click.UsageError(f"--timeout must be a positive number of seconds, not {timeout:g}")
    if not kinds:
        raise click.UsageError(f"--emit names no kind; the kinds are {KINDS}")
    try:
        chosen = read_grammar(grammar) if grammar is not None else Grammar()
    except GrammarError as problem:
        raise click.UsageError(str(problem)) from None
    options = Options(not no_suggestions, monolithic, timeout, grammar=chosen, check_rewritings=check_rewritings)
    reports: list[FileReport] = []
    written: dict[str, str] = {}
    failed = False
    for path in files:
        try:
            given = command_in(build, path).and_flags(clang_args) if build is not None else tuple(clang_args)
            request = Request(
                path, given, functions, out, tuple(kinds), target, autoscheduler, models, options, unverified,
                not no_run, one_of_several=len(files) > 1, loops=loops,
            )
            if dry_run:
                console.print(command_for(path, given).words(), markup=False)
                continue
            report = (_lifted_from_pipe if is_pipe(path) else _lifted)(request, console, quiet)
        except (SourceError, UsageError, DatabaseError) as problem:
            _print_error(console, problem)
            failed = True
            continue
        reports.append(report)
        failed |= bool(report.status)
        print_file_report(console, report, quiet)
        _warn_overwritten(console, report, written)
        if as_json:
            write_line(json.dumps(report.as_json()))
    unknown = defined_nowhere(reports)
    if unknown is not None:
        _print_error(console, unknown)
    if failed or unknown is not None:
        sys.exit(EXIT_USAGE)
    if dry_run:
        sys.exit(EXIT_VERIFIED)
    sys.exit(EXIT_VERIFIED if all((r.functions or r.missing) and r.verified for r in reports) else EXIT_SOME_NOT)


def _check_files(files: tuple[str, ...]) -> None:
    if not files:
        raise click.UsageError("no input file; usage: lift FILE... [options] [-- CLANG_ARGS]")
    close = meant(files[0])
    if close is not None:
        raise click.UsageError(f"there is no file '{files[0]}'; did you mean the command 'lift {close}'?")


def _lift_folder(context: click.Context, folder: str) -> None:
    """As by `lift batch`, which ends this process."""
    from lifter.commands.batch import batch_command

    known = {p.name for p in batch_command.params}
    given = {
        name: value for name, value in context.params.items()
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT and name != "files"
    }
    names = given.pop("functions", ())
    unknown = sorted(name for name in given if name not in known)
    if unknown:
        raise click.UsageError(f"a folder is lifted by 'lift batch', which has no --{unknown[0].replace('_', '-')}")
    pattern = f"(^|::)({'|'.join(map(re.escape, names))})$" if names else ""
    context.invoke(batch_command, root=folder, functions=pattern, **given)


def _lifted_from_pipe(request: Request, console: Console, quiet: bool) -> FileReport:
    """Lifts the text of a pipe."""
    with from_pipe(request) as read:
        report = _lifted(read, console, quiet)
    report.file = name_of(request.path)
    return report


def _lifted(request: Request, console: Console, quiet: bool) -> FileReport:
    """Raises SourceError and UsageError, and KeyboardInterrupt once what is finished is said."""
    task = FileTask(request)
    try:
        with StatusLine(console) as line:
            return task.wait(lambda step: line.show(f"{request.path}: {step.words()}"))
    except KeyboardInterrupt:
        task.interrupt()
        if task.report.functions:
            print_file_report(console, task.report, quiet)
        raise
    finally:
        task.interrupt()


def _warn_overwritten(console: Console, report: FileReport, written: dict[str, str]) -> None:
    for path in dict.fromkeys(p for f in report.functions for p in f.outputs.values()):
        other = written.setdefault(path, report.file)
        if other != report.file:
            text = f"warning: {path} of {other} was overwritten by that of {report.file}; give them different folders"
            console.print(text, markup=False)
            written[path] = report.file


def _print_error(console: Console, problem: Exception) -> None:
    """A problem of the source has its place and the word `error` in it already, as compilers print it."""
    console.print(str(problem) if isinstance(problem, SourceError) else f"error: {problem}", markup=False)


def main(argv: Sequence[str] | None = None) -> None:
    """Finds out which command is meant, and runs it with the project's configuration and the flags after `--`."""
    gc.set_threshold(100_000, 20, 100)  # trees and expressions are many, and hold no cycles
    args = list(sys.argv[1:] if argv is None else argv)
    complete(args)
    args, clang_args = flags_apart(args)
    name = args[0] if args and args[0] in COMMANDS else ""
    called = f"lift {name}".strip()
    command = load(name)
    args = args[1:] if name else args
    try:
        config = config_for(args, command, name, list(COMMANDS))
        given = [*config.flags, *clang_args]
        sys.exit(command.main(args, prog_name=called, obj=given, default_map=config.options, standalone_mode=False))
    except click.ClickException as problem:
        open_console().print(f"error: {problem.format_message().rstrip('.')}; see {called} --help", markup=False)
        sys.exit(EXIT_USAGE)
    except LiftError as problem:
        _print_error(open_console(), problem)
        sys.exit(EXIT_USAGE)
    except (KeyboardInterrupt, click.Abort):
        open_console().print("interrupted", markup=False)
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:  # the reader of --json has gone
        sys.stderr.close()
        sys.exit(EXIT_SOME_NOT)
