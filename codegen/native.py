"""Compiled outputs: the drop-in shared library with the original as its fallback, objects and headers."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from codegen import adapter, flat_arguments, internal, reserved
from codegen.device_schedule import is_for_device
from codegen.device_variant import device_path
from codegen.errors import EmitError
from codegen.notation import result_lines
from codegen.original import compile_original, is_c, run_tool
from codegen.pipeline import BuiltPath, build_path
from codegen.variants import variants
from halide_core.aot.compile import Module, RawParam, compile_pipeline, compile_raw
from halide_core.aot.compile import header as halide_header
from halide_core.autoschedule.rules.default import apply_default_schedule
from halide_core.ir.types import UInt
from halide_core.target import Target
from lifter.ir.loop_ir import Function
from lifter.ir.summary import Summary
from lifter.support.files import whole, write_whole
from lifter.support.shown import shown
from lifter.toolchain.command import Command, command_for
from synth.lift import Lifted

DYNAMIC_LOADING = ("-Wl,--as-needed", "-ldl")
"""Links what code for a device loads the driver with, where that is no part of the C library."""
FALLBACK_SUFFIX = internal.FALLBACK_SUFFIX
"""No function of C or C++ has such a name."""


def emit_native(
    source: str,
    lifted: Sequence[Lifted],
    names: Sequence[str],
    directory: Path,
    kinds: Sequence[str],
    target: str,
    clang_args: Sequence[str] | Command,
    outputs: Sequence[dict[str, str]],
    notes: Sequence[list[str]],
    autoscheduler: str = "",
) -> None:
    """Writes `object`, `header` and `shared` for verified functions; `notes` say of which there is no drop-in, and
    why."""
    machine = Target(target)
    summaries = [item.summary for item in lifted if item.summary is not None]
    own = _with_names_of_the_runtime(summaries)
    on_host: dict[str, dict[int, str]] = {s.function.symbol: {} for s in summaries}
    if {"object", "header"} & set(kinds):
        for item, name, out in zip(lifted, names, outputs, strict=True):
            assert item.summary is not None
            if "object" in kinds and item.function.symbol not in own:
                path = directory / f"{name}.o"
                alone = on_host[item.function.symbol]
                module = compile_summary(item.summary, machine, None, autoscheduler=autoscheduler, on_host=alone)
                for number, symbol in halide_entries(item.summary):
                    built = _halide_path(item.summary, number, machine)
                    compile_pipeline(built.pipeline, built.arguments(), symbol, machine, module)
                with whole(path) as beside:
                    module.write_object(beside)
                out["object"] = str(path)
            if "header" in kinds:
                path = directory / f"{name}.h"
                write_whole(path, header_text(item.summary, source, machine))
                out["header"] = str(path)
    if "shared" in kinds:
        path = directory / f"lib{Path(source).stem}_lifted.so"
        left = [s for s in summaries if s.function.symbol not in own]
        own |= build_shared(source, left, path, machine, clang_args, autoscheduler, on_host) if left else {}
        for item, out in zip(lifted, outputs, strict=True):
            if item.function.symbol not in own:
                out["shared"] = str(path)
    for item, said in zip(lifted, notes, strict=True):
        symbol = item.function.symbol
        found = [f"there is no compiled code for it: {own[symbol]}"] if symbol in own else []
        found += [f"there is no code of a device for {w}" for w in _without_device(on_host.get(symbol, {}))]
        said += [note for note in found if note not in said]


def _without_device(paths: Mapping[int, str]) -> list[str]:
    """Which paths are the host's alone, and why."""
    return [f"path {n}: {why}" for n, why in sorted(paths.items())]


def _with_names_of_the_runtime(summaries: Sequence[Summary]) -> dict[str, str]:
    """Why functions cannot stand beside the compiled code, by their symbols."""
    return {
        s.function.symbol: f"'{s.function.symbol}' may be a name of Halide's run time, which compiled code defines"
        for s in summaries if s.function.symbol.startswith(reserved.RUNTIME_PREFIX)
    }


def compile_summary(
    summary: Summary, target: Target, fallback: str | None, module: Module | None = None, autoscheduler: str = "",
    schedule: bool = True, symbol: str = "", on_host: dict[int, str] | None = None,
) -> Module:
    """The function under its own symbol, or another one; `fallback` is called where no contract holds.  Without
    `schedule` in the plainest loops, which are soon made.  Why paths have no code for the target's device, where it has
    one, goes to `on_host`."""
    function = summary.function
    params = [RawParam(p.name, p.type, p.pointer) for p in function.params]
    symbol = symbol or entry_symbol(function)
    if function.interface is not None and fallback is not None:
        params.append(RawParam(flat_arguments.MISSED, UInt(8), True))
        fallback = flat_arguments.missed_symbol(function)
    ways = variants(summary, target, schedule, autoscheduler, on_host)
    return compile_raw(symbol, params, function.return_type, ways, fallback, target, module)


def entry_symbol(function: Function) -> str:
    """The symbol of the lifted function over scalars and pointers."""
    return function.symbol if function.interface is None else flat_arguments.flat_symbol(function)


def halide_entries(summary: Summary) -> list[tuple[int, str]]:
    """(path number, symbol) of the functions in Halide's calling convention: one a path that computes images from
    images.  Paths that read constant tables or return values have the C entry only."""
    numbers = [
        i for i, p in enumerate(summary.paths)
        if p.funcs and p.result is None and not any(x.layout.array in summary.function.tables for x in p.inputs)
    ]
    name = f"{summary.function.name}_halide"
    return [(i, name if len(summary.paths) == 1 else f"{name}_{i}") for i in numbers]


def _halide_path(summary: Summary, number: int, target: Target) -> BuiltPath:
    """Path `number` in Halide's calling convention, scheduled: for the device where the target has one and can."""

    def make() -> BuiltPath:
        built = build_path(summary, number)
        assert built is not None
        return built

    found = device_path(make, target) if is_for_device(target) else None
    if found is not None:
        return found
    built = make()
    apply_default_schedule(built.pipeline, target)
    return built


def header_text(summary: Summary, source: str, target: Target) -> str:
    """A C header that declares the function and states its contract."""
    function = summary.function
    guard = f"LIFTED_{function.name.upper()}_H"
    lines = [f"#ifndef {guard}", f"#define {guard}", ""]
    lines += ["#include <stdbool.h>", "#include <stddef.h>", "#include <stdint.h>", ""]
    lines += [f"/* Lifted from {shown(Path(source).name)}, line {function.line} (verified)."]
    lines += [*(f"   {line}" for line in result_lines(function)), "   Does nothing unless:"]
    for number, path in enumerate(summary.paths):
        if len(summary.paths) > 1:
            lines.append(f"     variant {number}:")
        lines += [f"       {i.text}" for i in path.contract]
    lines += ["*/"]
    declared = _c_signature(function)
    symbol = entry_symbol(function)
    linked = declared.replace(f"{function.name}(", f"{symbol}(")
    if function.interface is not None:  # whose symbol is no name of C
        linked = declared.replace(f"{function.name}(", f"{function.name}_flat(") + f' __asm__("{symbol}")'
    lines += ["#ifdef __cplusplus", f'extern "C" {linked};']
    if linked != declared and function.interface is None:
        lines.append(f"{declared};")
    lines += ["#else", f"{linked};", "#endif"]
    for number, symbol in halide_entries(summary):
        built = _halide_path(summary, number, target)
        lines += ["", "/* The same in Halide's calling convention; returns 0, or an error code. */"]
        lines.append("struct halide_buffer_t;")
        declaration = halide_header(built.pipeline, built.arguments(), symbol)
        wanted = ("int ", "#ifdef", "extern", "}", "#endif", "struct halide_device")
        lines += [line for line in declaration.splitlines() if line.startswith(wanted)][:-1]
    return "\n".join([*lines, "", f"#endif  /* {guard} */", ""])


_C_TYPES = {"bool": "bool", "float32": "float", "float64": "double"}


def _c_signature(function: Function) -> str:
    def spelled(t: object) -> str:
        return _C_TYPES.get(str(t), f"{t}_t")

    args = []
    for p in function.params:
        star = " *" if p.pointer else " "
        const = "const " if p.pointer and p.const else ""
        args.append(f"{const}{spelled(p.type)}{star}{p.name}")
    result = spelled(function.return_type) if function.return_type is not None else "void"
    return f"{result} {function.name}({', '.join(args) or 'void'})"


def build_shared(
    source: str, summaries: Sequence[Summary], path: Path, target: Target, clang_args: Sequence[str] | Command,
    autoscheduler: str = "", on_host: Mapping[str, dict[int, str]] | None = None, further: str = "",
) -> dict[str, str]:
    """Links the lifted functions with the original translation unit, whose versions become the fallbacks; `further` is
    text at the unit's end.

    Returns the symbols of those that are left out, with why: for adapters that do not compile, the compiler's words.
    Why paths have no code for the target's device, where it has one, goes to `on_host`, by symbol."""
    command = command_for(source, clang_args)
    without = {s.function.symbol: internal.OUT_OF_REACH for s in summaries if internal.is_out_of_reach(s.function)}
    summaries = [s for s in summaries if s.function.symbol not in without]
    if not summaries:
        return without
    with tempfile.TemporaryDirectory(prefix="lift-") as folder:
        original = Path(folder) / "original.o"
        try:
            adapted = _compile_adapted(source, summaries, clang_args, original, further)
        except EmitError:
            failing = _without_adapters(source, summaries, clang_args, Path(folder) / "one.o")
            if not failing:
                raise
            without |= failing
            summaries = [s for s in summaries if s.function.symbol not in without]
            if not summaries:
                return without
            adapted = _compile_adapted(source, summaries, clang_args, original, further)
        inside = [s.function for s in summaries if internal.is_replaced(s.function)]
        shown = [s.function.symbol for s in summaries if s.function not in inside]
        rename_symbols(original, {symbol: symbol + FALLBACK_SUFFIX for symbol in shown})
        if adapted:
            rename_symbols(original, {flat_arguments.adapter_symbol(s.function): s.function.symbol for s in adapted})
        module = Module(target, shows_runtime=False)
        for s in summaries:
            alone = None if on_host is None else on_host[s.function.symbol]
            compile_summary(s, target, s.function.symbol + FALLBACK_SUFFIX, module, autoscheduler, on_host=alone)
        lifted = Path(folder) / "lifted.o"
        module.write_object(lifted)
        # Worker threads outlive calls, so their code must stay.
        link = ["-shared", f"-Wl,-soname,{path.name}", "-Wl,-z,nodelete", "-lpthread", "-lm", *DYNAMIC_LOADING]
        link += internal.version_script(inside, Path(folder) / "inside.map") if inside else []
        with whole(path) as beside:
            run_tool([command.compiler, *command.flags, "-o", str(beside), str(lifted), str(original), *link])
    return without


def _compile_adapted(
    source: str, summaries: Sequence[Summary], clang_args: Sequence[str] | Command, output: Path, further: str = ""
) -> list[Summary]:
    """Compiles the original with adapters for those of its functions that need one, which are returned, and with
    `further` text behind them.

    Raises EmitError."""
    adapted = [s for s in summaries if s.function.interface is not None]
    inside = [s.function for s in summaries if internal.is_replaced(s.function)]
    unit, flags, whole_unit = source, list[str](), source
    if inside:
        unit = whole_unit = str(output.parent / f"apart_{Path(source).name}")
        internal.kept_apart(source, inside, Path(unit))
        flags += internal.flags_of_copy(source)
    if adapted or further:
        unit = str(output.parent / Path(source).name)
        Path(unit).write_text(adapter.adapters(whole_unit, adapted) + further)
        flags += [] if is_c(source) else flat_arguments.FLAGS
    if inside:
        names = {f.symbol: f.symbol + FALLBACK_SUFFIX for f in inside}
        internal.compile_renamed(unit, command_for(source, clang_args), flags, output, names)
    else:
        compile_original(unit, clang_args, output, flags)
    return adapted


def _without_adapters(
    source: str, summaries: Sequence[Summary], clang_args: Sequence[str] | Command, output: Path
) -> dict[str, str]:
    """Why functions have no adapter that compiles, by their symbols."""
    found = {}
    for s in summaries:
        if s.function.interface is not None:
            try:
                _compile_adapted(source, [s], clang_args, output)
            except EmitError as problem:
                found[s.function.symbol] = f"its arguments cannot be taken apart here: {problem}"
    return found


def rename_symbols(path: Path, names: Mapping[str, str]) -> None:
    """Gives functions of an object file other names; their calls to each other follow."""
    tool = shutil.which("objcopy")
    if tool is None:
        raise EmitError("'objcopy' was not found; install binutils for --emit shared")
    renames = [a for old, new in names.items() for a in ("--redefine-sym", f"{old}={new}")]
    run_tool([tool, *renames, str(path)])
