"""Deep trees are read whole or refused: a child is never left out."""

from __future__ import annotations

import sys

import pytest

from lifter.frontend import FunctionError, parse_file
from lifter.frontend.clang.libclang import children, preorder
from lifter.frontend.clang.parsing import parse


def _at_depth(levels, work):
    return work() if levels == 0 else _at_depth(levels - 1, work)


def test_children_are_all_there_or_none(tmp_path):
    """Near the limit of recursion, wherever that is met."""
    source = tmp_path / "a.c"
    source.write_text("void f(int *p) { p[0] = 1; p[1] = 2; p[2] = 3; p[3] = 4; }\n")
    parsed = parse(str(source))
    (body,) = [k for k in preorder(parsed.unit.cursor) if k.kind.name == "COMPOUND_STMT"]
    before, depth = sys.getrecursionlimit(), len(_frames())
    counts = set()
    try:
        for levels in range(40):
            sys.setrecursionlimit(depth + 60)
            try:
                counts.add(_at_depth(levels, lambda: len(children(body))))
            except RecursionError:
                counts.add(0)
    finally:
        sys.setrecursionlimit(before)
    assert counts == {0, 4}


def _frames():
    found, frame = [], sys._getframe()
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return found


@pytest.mark.parametrize("operators", [300, 600, 900, 1200])
def test_deep_expressions(tmp_path, operators):
    """Whole, or refused as too deep."""
    source = tmp_path / "a.c"
    source.write_text("int f(int a, int b) { return " + "~" * operators + "a + b; }\n")
    (f,) = parse_file(str(source)).functions
    if isinstance(f, FunctionError):
        assert f.status == "unsupported"
        assert "nested too deeply" in f.reason.construct
    else:
        assert str(f.body).count("b") >= 1
