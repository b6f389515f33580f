"""The smallest part of a failing case that still fails, tried in processes of their own since some end in a fault."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

from tests.halide_core.fuzz.case import Case

_TRY = """
import os
import sys
# Both modules print warnings.
answers = os.fdopen(os.dup(1), 'w')
os.dup2(2, 1)
from tests.halide_core.fuzz.case import Case, outcome
try:
    kind, what = outcome(eval(sys.stdin.read()))
except (NameError, RuntimeError, TypeError, AssertionError, ValueError):
    sys.exit(0)
print(what if kind == 'wrong' else '', file=answers)
"""
LIMIT = 60  # seconds for one attempt


def verdict(case: Case) -> str:
    """What is wrong with a case, a fault of its process included; the empty string where nothing is."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", _TRY], input=case.text(), capture_output=True, text=True, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {LIMIT} s"
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}"
    if done.returncode:
        return f"ended with status {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1]}"
    return done.stdout.strip()


def _kind(wrong: str) -> str:
    """What a smaller case must share with a verdict: a refusal its reason."""
    return wrong[:40] if wrong.startswith("refused") else ""


def _shorter(case: Case) -> Iterator[Case]:
    # What an autoscheduler is given belongs together.
    for k in reversed(range(0 if case.is_autoscheduled else len(case.directives))):
        yield replace(case, directives=case.directives[:k] + case.directives[k + 1 :])
    for k in reversed(range(len(case.definitions) - 1)):
        yield replace(case, definitions=case.definitions[:k] + case.definitions[k + 1 :])
    if case.target:
        yield replace(case, target="")


def smaller(case: Case, attempts: int = 150) -> Case:
    """A case with as few lines as still fail, after at most so many attempts."""
    first = _kind(verdict(case))
    progress = True
    while progress:
        progress = False
        for candidate in _shorter(case):
            attempts -= 1
            if attempts < 0:
                return case
            wrong = verdict(candidate)
            if wrong and _kind(wrong) == first:
                case, progress = candidate, True
                break
    return case
