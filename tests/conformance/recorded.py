"""What the package `halide` computed for the cases, as digests; `python -m tests.conformance.recorded` writes them.

A case whose result has the recorded digest need not be run under the package again: it gives the same each time.  What
has another digest, or none, is run there and compared as ever, so that a record can be no reason to fail; one of
another version of the package or of another text of the case does not count."""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import pkgutil
import re
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import numpy as np

import tests
import tests.conformance
from tests.conformance.cases import CASES, Case, results

FILE = Path(__file__).with_name("recorded.json")
_ROOT = Path(__file__).parents[2]


def load_cases() -> list[Case]:
    """All cases, of all modules of this folder."""
    for found in pkgutil.iter_modules(tests.conformance.__path__):
        if found.name.endswith("_cases"):
            importlib.import_module(f"tests.conformance.{found.name}")
    return CASES


def digest_of(found: Sequence[np.ndarray]) -> str:
    """Equal for results that do not differ (`cases.difference` without ulp)."""
    content = hashlib.sha256()
    for a in found:
        same = np.where(np.isnan(a), np.array(np.nan, a.dtype), a) if a.dtype.kind == "f" else a
        content.update(f"{a.dtype.str} {a.shape} ".encode())
        content.update(np.ascontiguousarray(same).tobytes())
    return content.hexdigest()[:20]


def is_recorded(case: Case, found: Sequence[np.ndarray]) -> bool:
    """Whether the package gave this for the case, as it now stands."""
    kept = _records().get(case.name)
    return kept is not None and kept == f"{_text(case.script.__module__)} {digest_of(found)}"


def is_current(case: Case) -> bool:
    """Whether what is recorded of a case is of its present text; there is nothing of refusals, and of results that may
    differ a little."""
    return case.refused or case.ulp > 0 or _records().get(case.name, "").startswith(_text(case.script.__module__))


@functools.cache
def _records() -> dict[str, str]:
    kept = json.loads(FILE.read_text())
    return kept["results"] if kept["package"] == metadata.version("halide") else {}


@functools.cache
def _text(module: str) -> str:
    """A digest of the text of a module of tests, and of those that it imports."""
    texts: dict[str, bytes] = {}
    left = [module]
    while left:
        name = left.pop()
        path = _ROOT / f"{name.replace('.', '/')}.py"
        if name not in texts and path.exists():
            texts[name] = path.read_bytes()
            left += re.findall(r"^from (tests\.[\w.]+) import", texts[name].decode(), re.MULTILINE)
    return hashlib.sha256(repr(sorted(texts.items())).encode()).hexdigest()[:12]


def main() -> None:
    """Runs all cases under the package."""
    import halide

    kept = {}
    for case in load_cases():
        if not case.refused and not case.ulp:
            kept[case.name] = f"{_text(case.script.__module__)} {digest_of(results(case.script(halide)))}"
    content = {"package": metadata.version("halide"), "results": dict(sorted(kept.items()))}
    FILE.write_text(json.dumps(content, indent=0) + "\n")


if __name__ == "__main__":
    main()
