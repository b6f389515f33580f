"""What `lift explain` proposes is true: the text before an edit is not lifted, the one after it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lifter.commands.advice import BEYOND, EDIT, FAULT, NOT_YET, TIME, advice

FOLDER = Path(__file__).with_name("advice")


def explained(lift, file: str, name: str) -> dict:
    run = lift("explain", file, "-f", name, "--json")
    assert run.status == 1
    return json.loads(run.out)


@pytest.mark.parametrize(("file", "name"), [("reached.c", "reached"), ("rows.c", "f")])
def test_proposed_edits_are_lifted(lift, source, file, name):
    text = (FOLDER / file).read_text()
    found = explained(lift, source("before.c", text), name)
    assert found["kind"] == EDIT
    after = text
    before = [line[1:].strip() for line in found["diff"] if line.startswith("-")]
    instead = [line[1:].strip() for line in found["diff"] if line.startswith("+")]
    assert before and instead
    if len(before) == len(instead):
        for a, b in zip(before, instead, strict=True):
            assert a in after
            after = after.replace(a, b)
    else:
        lines = after.splitlines()
        start = next(k for k, line in enumerate(lines) if line.strip() == before[0])
        assert [line.strip() for line in lines[start : start + len(before)]] == before
        after = "\n".join([*lines[:start], *instead, *lines[start + len(before) :]]) + "\n"
    run = lift(source("after.c", after))
    assert run.status == 0, run.err


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ('#include <stdio.h>\nvoid f(int a) { printf("%d", a); }\n', BEYOND, "does nothing else"),
        ("int f(int n, ...) { return n; }\n", BEYOND, "known at run time only"),
        ("int f(int n) { return n > 1 ? n * f(n - 1) : 1; }\n", BEYOND, "loops over ranges only"),
        ("int g(int);\nint f(int n) { return g(n); }\n", EDIT, "--model"),
    ],
)
def test_kinds(lift, source, text, kind, words):
    found = explained(lift, source("a.c", text), "f")
    assert found["kind"] == kind
    assert words in found["advice"]


def test_error_diffusion_is_said_to_be_unknown_yet(lift, source):
    found = explained(lift, source("a.c", (FOLDER / "error_diffusion.c").read_text()), "f")
    assert found["kind"] == NOT_YET
    assert "errors that are spread over neighbours" in found["advice"]


def test_time_and_faults():
    assert advice("timeout", "roi", "nothing found within 3 s").kind == TIME
    for status in ("error", "crashed", "disagreed"):
        assert advice(status, "", "internal error").kind == FAULT
    assert "assert()" in advice("not_found", "verification", "does not hold: x", refuted=True).text
    assert advice("not_found", "verification", "does not hold: x").kind == NOT_YET
