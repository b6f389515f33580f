"""Results of files kept on disk, so that a file whose text, flags and tools are as before is not lifted again.

An entry's name is a digest of all that its contents depend on: it never has to be told that it is out of date, and the
folder may be deleted at any time.  Entries are JSON and the outputs themselves; nothing of them is run."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import os
import platform
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from codegen.notation import StageText
from halide_core import cache_folder as cache
from halide_core.target import get_host_target
from lifter.file_task import Request
from lifter.files import whole
from lifter.frontend import Definition
from lifter.results import FileReport, FunctionReport
from lifter.toolchain.command import SUFFIXES, Command, command_for
from lifter.toolchain.facts import with_facts
from lifter.toolchain.preprocess import CannotPreprocess, preprocessed

FOLDER = "LIFT_CACHE_DIR"
LIMIT_BYTES = 1 << 30
"""The oldest entries go when there is more than this."""
_PACKAGES = ("lifter", "synth", "verifier", "codegen", "halide_core")
_NOT_KEPT = ("crashed", "error", "disagreed")
"""What may be otherwise the next time, or is to be looked at."""


@functools.cache
def tool() -> str:
    """A digest of this tool: its own text, and the versions of what it is built on."""
    content = hashlib.sha256(platform.python_version().encode())
    for name in ("libclang", "z3-solver", "llvmlite", "numpy"):
        content.update(f"{name} {metadata.version(name)}\n".encode())
    top = Path(__file__).parent.parent.parent
    for package in _PACKAGES:
        for path in sorted((top / package).rglob("*")):
            if path.is_file() and path.suffix != ".pyc":  # some headers have no suffix
                content.update(str(path.relative_to(top)).encode())
                content.update(path.read_bytes())
    return content.hexdigest()


def digest(request: Request) -> tuple[str, Request]:
    """A digest of all that the results of a request depend on, and the request with the text that was read for it.

    "" where that is not known: without a compiler, or where it does not accept the file."""
    command = command_for(request.path, request.given)
    if not command.compiler:
        return "", request  # what libclang's own preprocessing reads is not known before
    content = hashlib.sha256(tool().encode())
    try:
        known = with_facts(command)
        assert known.facts is not None
        facts = known.facts
        content.update(facts.text.text)
        # What the text does not show: macros that pragmas change are looked for in the file itself.
        content.update(repr((facts.source, facts.changed, facts.float_rules)).encode())
        for model in _models(request.models, request.given):
            content.update(model)
    except (CannotPreprocess, OSError):
        return "", request
    asked = (
        request.path, _stated(command), sorted(command.macros().items()), request.functions, request.emit,
        request.target, request.autoscheduler, asdict(request.options, dict_factory=_sorted), request.unverified,
        request.run, repr(request.selected), str(get_host_target()),
    )
    content.update(repr(asked).encode("utf-8", "surrogateescape"))
    return content.hexdigest(), replace(request, given=known)


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


def load(digest_: str, out: str) -> FileReport | None:
    """The report that is kept under a digest, its outputs written again to the folder `out` where they are not there
    as they were; None where there is none.  Raises OSError where an output cannot be written."""
    where = _entry(digest_)
    if where is None:
        return None
    try:
        kept = json.loads(cache.own_content(where) or b"")
        report = _report(kept["report"])
        files = {str(k): base64.b64decode(v) for k, v in kept["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    os.utime(where)
    for name, content in files.items():
        path = Path(out) / name
        if path.parent != Path(out):
            return None
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            with whole(path) as beside:
                beside.write_bytes(content)
    for f in report.functions:
        f.outputs = {kind: str(Path(out) / name) for kind, name in f.outputs.items()}
    return report


def store(digest_: str, report: FileReport, out: str) -> None:
    """Keeps a report with its outputs, if it is one that would come out the same again."""
    where = _entry(digest_)
    if where is None or report.status not in ("", "unreadable") or any(f.status in _NOT_KEPT for f in report.functions):
        return
    paths = sorted({p for f in report.functions for p in f.outputs.values()})
    files = {Path(p).name: base64.b64encode(Path(p).read_bytes()).decode() for p in paths}
    if any(Path(p).parent != Path(out) for p in paths):
        return
    text = json.dumps({"report": _plain(report), "files": files})
    with tempfile.NamedTemporaryFile("w", dir=where.parent, prefix="new-", delete=False) as beside:
        beside.write(text)
    os.replace(beside.name, where)


def prune() -> None:
    """Keeps the cache small."""
    found = cache.cache_folder(FOLDER, "lift").path
    if found is not None:
        cache.prune(found, LIMIT_BYTES)


def _entry(digest_: str) -> Path | None:
    top = cache.cache_folder(FOLDER, "lift").path
    return top / digest_ if top is not None and digest_ else None


def _plain(report: FileReport) -> dict[str, Any]:
    functions = [asdict(f.plain()) for f in report.functions]
    for f in functions:
        f["outputs"] = {kind: Path(path).name for kind, path in f["outputs"].items()}
    return {
        "file": report.file, "text": report.text, "missing": report.missing, "status": report.status,
        "reason": report.reason, "functions": functions,
    }


def _report(kept: dict[str, Any]) -> FileReport:
    from lifter.harness.second_opinion import Opinion

    found = FileReport(
        kept["file"], missing=kept["missing"], text=kept["text"], status=kept["status"], reason=kept["reason"],
        kept=True,
    )
    for f in kept["functions"]:
        own = dict(f)
        own["definition"] = Definition(**f["definition"]) if f["definition"] is not None else None
        own["stages"] = [StageText(**s) for s in f["stages"]]
        own["run"] = Opinion(**f["run"]) if f["run"] is not None else None
        found.functions.append(FunctionReport(**own))
    return found
