"""Results kept on disk, so that a file whose text, flags and tools are as before is not lifted again, and of a file
that has changed those functions only that the change concerns.

An entry's name is a digest of all that its contents depend on: it never has to be told that it is out of date, and the
folder may be deleted at any time.  Entries are JSON and the outputs themselves; nothing of them is run."""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import json
import os
import platform
import re
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from codegen.notation import StageText
from halide_core import cache_folder as cache
from halide_core.target import get_host_target
from lifter.commands.file_task import Request
from lifter.frontend import Definition
from lifter.running.output import OF_ALL
from lifter.running.results import FileReport, FunctionReport
from lifter.support.files import whole
from lifter.toolchain.command import SUFFIXES, Command, command_for
from lifter.toolchain.compiler import identity
from lifter.toolchain.facts import with_facts
from lifter.toolchain.made_of import MadeOf, made_of, search_folders
from lifter.toolchain.preprocess import CannotPreprocess, preprocessed
from lifter.transforms.path_log import Rewritings

FOLDER = "LIFT_CACHE_DIR"
LIMIT_BYTES = 1 << 30
"""The oldest entries go when there is more than this."""
_PACKAGES = ("lifter", "synth", "verifier", "codegen", "halide_core")
_NOT_KEPT = ("crashed", "error", "disagreed")
"""What may be otherwise the next time, or is to be looked at."""
_LINE = re.compile(r"\blines? (\d+)(?: and (\d+))?")


@functools.cache
def tool() -> str:
    """A digest of this tool: its own text, and the versions of what it is built on."""
    content = hashlib.sha256(platform.python_version().encode())
    for name in ("libclang", "z3-solver", "llvmlite", "numpy"):
        content.update(f"{name} {metadata.version(name)}\n".encode())
    top = Path(__file__).parents[3]
    for package in _PACKAGES:
        for path in sorted((top / package).rglob("*")):
            if path.is_file() and path.suffix != ".pyc":  # some headers have no suffix
                content.update(str(path.relative_to(top)).encode())
                content.update(path.read_bytes())
    return content.hexdigest()


@dataclass(frozen=True, slots=True)
class Digests:
    """Of all that results depend on; "" where that is not known."""

    file: str = ""
    """What the results of the file depend on."""
    functions: str = ""
    """What those of its functions depend on beside their own text (`Definition.dependence`)."""


def digests(request: Request) -> tuple[Digests, Request]:
    """Of a request, and the request with the text that was read for it."""
    command = command_for(request.path, request.given)
    if not command.compiler:
        return Digests(), request  # what libclang's own preprocessing reads is not known before
    since = time.time()
    try:
        known = with_facts(command)
        assert known.facts is not None
        facts = known.facts
        shared = _shared(request, command)
    except (CannotPreprocess, OSError):
        return Digests(), request
    whole_file = shared.copy()
    whole_file.update(facts.text.text)
    # What the text does not show: macros that pragmas change are looked for in the file itself.
    whole_file.update(repr((facts.source, facts.changed, request.functions, request.selected)).encode())
    made = made_of(command, facts.text, since) if not request.models else None
    if made is not None:
        with contextlib.suppress(OSError):  # a full disk: the compiler will be asked again
            _remember(_of_question(shared, request, command), made, whole_file.hexdigest())
    # What is compiled of all functions together depends on all of them.
    apart = not facts.changed and not OF_ALL & set(request.emit)
    return Digests(whole_file.hexdigest(), shared.hexdigest() if apart else ""), replace(request, given=known)


def load_unchanged(request: Request, exists: Callable[[str], bool]) -> FileReport | None:
    """The report that is kept of a file of which nothing has changed since its text was read, as the times of all files
    say that it is made of; None where that is not sure.  `exists` says whether a path is there.  Raises OSError where
    an output cannot be written."""
    command = command_for(request.path, request.given)
    if request.models or not command.compiler:
        return None
    where = _entry(_of_question(_shared(request, command), request, command))
    if where is None:
        return None
    try:
        known = json.loads(cache.own_content(where) or b"")
        made = MadeOf({f: tuple(s) for f, s in known["files"].items()}, known["asked"], known["present"])
        digest = str(known["digest"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    if not made.is_as_before(command, exists):
        return None
    os.utime(where)
    return load(digest, request.out)


def _remember(question: str, made: MadeOf, digest: str) -> None:
    where = _entry(question)
    if where is not None:
        _write(where, json.dumps(asdict(made) | {"digest": digest}))


def _of_question(shared: hashlib._Hash, request: Request, command: Command) -> str:
    """Names what is known of a file before its text is read."""
    content = shared.copy()
    content.update(repr((request.functions, request.selected, search_folders(command))).encode())
    content.update(repr(identity(command.compiler, command.folder)).encode())
    return content.hexdigest()


def _shared(request: Request, command: Command) -> hashlib._Hash:
    """A digest of what all results of a file depend on beside its text.  Raises CannotPreprocess and OSError."""
    asked = (
        request.path, _stated(command), sorted(command.macros().items()), request.emit, request.target,
        request.autoscheduler, asdict(request.options, dict_factory=_sorted), request.unverified, request.run,
        request.loops, str(get_host_target()), command.float_rules(),
    )
    content = hashlib.sha256(tool().encode())
    for part in (*_models(request.models, request.given), repr(asked).encode("utf-8", "surrogateescape")):
        content.update(part)
    return content


def _sorted(items: list[tuple[str, Any]]) -> str:
    return repr(sorted((k, sorted(v) if isinstance(v, frozenset) else v) for k, v in items))


def _stated(command: Command) -> tuple[object, ...]:
    return (command.source, command.folder, command.language, command.compiler, command.flags, command.target)


def _models(models: Sequence[str], given: Command | tuple[str, ...]) -> list[bytes]:
    texts = []
    for model in models:
        files = sorted(Path(model).rglob("*")) if os.path.isdir(model) else [Path(model)]
        for file in files:
            if file.is_file():
                texts.append(f"\0{file}\0".encode("utf-8", "surrogateescape") + file.read_bytes())
                if file.suffix in SUFFIXES:
                    texts.append(preprocessed(command_for(str(file), given)).text)
    return texts


def load(digest: str, out: str) -> FileReport | None:
    """The report that is kept under a digest, its outputs written again to the folder `out` where they are not there
    as they were; None where there is none.  Raises OSError where an output cannot be written."""
    found = _content(digest)
    if found is None:
        return None
    report, files = found
    if not _written([*report.functions, *report.loops], files, out):
        return None
    report.outlined = str(Path(out) / report.outlined) if report.outlined else ""
    return report


def _content(digest: str) -> tuple[FileReport, dict[str, bytes]] | None:
    """What is kept under a digest: a report, and its outputs by their names."""
    where = _entry(digest)
    if where is None:
        return None
    try:
        kept = json.loads(cache.own_content(where) or b"")
        report = _report(kept["report"])
        files = {str(k): base64.b64decode(v) for k, v in kept["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    os.utime(where)
    return report, files


def _written(functions: Sequence[FunctionReport], files: Mapping[str, bytes], out: str) -> bool:
    """Whether outputs could be written; they are in no other folder."""
    if any((Path(out) / name).parent != Path(out) for name in files):
        return False
    for name, content in files.items():
        path = Path(out) / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            with whole(path) as beside:
                beside.write_bytes(content)
    for f in functions:
        f.outputs = {kind: str(Path(out) / name) for kind, name in f.outputs.items()}
    return True


def store(digest: str, report: FileReport, out: str) -> None:
    """Keeps a report with its outputs, if it is one that would come out the same again."""
    where = _entry(digest)
    every = (*report.functions, *report.loops)
    if where is None or report.status not in ("", "unreadable") or any(f.status in _NOT_KEPT for f in every):
        return
    paths = sorted({p for f in every for p in f.outputs.values()})
    paths += [report.outlined] if report.outlined else []
    files = {Path(p).name: base64.b64encode(Path(p).read_bytes()).decode() for p in paths}
    if any(Path(p).parent != Path(out) for p in paths):
        return
    _write(where, json.dumps({"report": _plain(report), "files": files}))


def _write(entry: Path, text: str) -> None:
    with tempfile.NamedTemporaryFile("w", dir=entry.parent, prefix="new-", delete=False) as beside:
        beside.write(text)
    os.replace(beside.name, entry)


def store_functions(shared: str, report: FileReport, out: str) -> None:
    """Keeps those functions of a report of which it is known what they depend on."""
    for f in report.functions:
        if shared and f.definition is not None and f.definition.dependence and not f.kept and _of_its_lines_only(f):
            store(_of_function(shared, f.definition), FileReport(report.file, [f], text=report.text), out)


def load_function(shared: str, definition: Definition, out: str) -> FunctionReport | None:
    """The report that is kept of a function, as it stands now, its outputs written again to the folder `out`; None
    where there is none.  Raises OSError where an output cannot be written."""
    if not shared or not definition.dependence:
        return None
    entry = _content(_of_function(shared, definition))
    if entry is None or len(entry[0].functions) != 1:
        return None
    (found,), files = entry[0].functions, entry[1]
    before, found.definition, found.kept = found.definition, definition, True
    if before is None:
        return None
    moved = definition.line - before.line
    if moved:
        was, now = b", line %d (" % before.line, b", line %d (" % definition.line
        if any(content.count(was) != 1 for content in files.values()) or _LINE.search(_said(found)):
            return None
        files = {name: content.replace(was, now) for name, content in files.items()}
        found.line += moved
        found.loops = [line + moved for line in found.loops]
    return found if _written([found], files, out) else None


def _of_its_lines_only(f: FunctionReport) -> bool:
    """Whether all lines that a report names are in the function: others may move without it."""
    d = f.definition
    assert d is not None
    named = [int(n) for found in _LINE.findall(_said(f)) for n in found if n]
    return all(d.line <= n <= d.end_line for n in [f.line, *f.loops, *named])


def _said(f: FunctionReport) -> str:
    return "\n".join([f.reason, *f.notes, *f.contract, *f.halide_differs])


def _of_function(shared: str, definition: Definition) -> str:
    content = hashlib.sha256(f"{shared} {definition.symbol} {definition.dependence}".encode())
    return content.hexdigest()


def prune() -> None:
    """Keeps the cache small."""
    found = cache.cache_folder(FOLDER, "lift").path
    if found is not None:
        cache.prune(found, LIMIT_BYTES)


def _entry(digest: str) -> Path | None:
    top = cache.cache_folder(FOLDER, "lift").path
    return top / digest if top is not None and digest else None


def _plain(report: FileReport) -> dict[str, Any]:
    functions = [asdict(f.plain()) for f in report.functions]
    loops = [asdict(f.plain()) for f in report.loops]
    for f in (*functions, *loops):
        f["outputs"] = {kind: Path(path).name for kind, path in f["outputs"].items()}
    return {
        "file": report.file, "text": report.text, "missing": report.missing, "status": report.status,
        "reason": report.reason, "functions": functions, "loops": loops, "outlined": Path(report.outlined).name,
    }


def _report(kept: dict[str, Any]) -> FileReport:
    from lifter.harness.second_opinion import Opinion

    found = FileReport(
        kept["file"], missing=kept["missing"], text=kept["text"], status=kept["status"], reason=kept["reason"],
        kept=True,
    )
    found.outlined = kept["outlined"]
    for f in (*kept["functions"], *kept["loops"]):
        own = dict(f)
        own["definition"] = Definition(**f["definition"]) if f["definition"] is not None else None
        own["stages"] = [StageText(**s) for s in f["stages"]]
        own["rewritings"] = Rewritings(**f["rewritings"])
        own["run"] = Opinion(**f["run"]) if f["run"] is not None else None
        (found.loops if own["part_of"] else found.functions).append(FunctionReport(**own))
    return found
