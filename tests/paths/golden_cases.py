"""What each transform of the pipeline makes of the C++ beside its text in tests/golden/lifter.

    python -m tests.paths.golden_cases      prints every text as JSON, from a process that saw nothing else"""

from __future__ import annotations

import json
import re
from pathlib import Path as File

from lifter.frontend import Function, parse_file
from lifter.ir.effect_printer import path_text
from lifter.ir.effects import Path
from lifter.symexec import execute
from lifter.transforms.path_log import PathLog
from synth.lift import decided, follows
from synth.sampling.samples import sample_environments

ROOT = File(__file__).parents[2]
FOLDER = ROOT / "tests" / "golden" / "lifter"
PIPELINE = ROOT / "lifter" / "transforms" / "pipeline.py"
CASES = sorted(str(p.relative_to(FOLDER).with_suffix("")) for p in FOLDER.rglob("*.cpp"))


def transforms() -> list[str]:
    """The transforms of the pipeline, in its order."""
    return list(dict.fromkeys(re.findall(r'log\.(?:apply|after_each)\("(\w+)"', PIPELINE.read_text())))


def text_of(case: str) -> str:
    """The path before a case's transform and those that it makes of it; empty where it changes nothing."""
    wanted = case.partition("/")[0]
    texts: list[str] = []

    def watch(name: str, before: Path, after: Path) -> None:
        if name == wanted:
            first = f"Before:\n{path_text(before)}"
            texts.extend([first] if first not in texts else [])
            texts.append(f"After:\n{path_text(after)}")

    (function,) = parse_file(str(FOLDER / f"{case}.cpp")).functions
    assert isinstance(function, Function), function
    execute(function, decided, follows, log=PathLog(function, sample_environments, watch=watch))
    return "\n".join(texts)


if __name__ == "__main__":
    print(json.dumps({case: text_of(case) for case in CASES}))
