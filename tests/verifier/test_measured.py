"""What is measured of tables that address memory is what the original reads of them: all of it, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lifter.algebra.polynomial import Poly
from lifter.api import lift_file
from lifter.ir.summary import Dim, InputSummary, PathSummary
from synth.lift import Lifted
from verifier.conditions.path import PathConditions
from verifier.decide import decide

HEAD = "#include <cstdint>\nvoid f(uint8_t* d, const uint8_t* s, const int* p, const uint8_t* m, int n, int h)"


def _lifted(tmp_path: Path, body: str) -> Lifted:
    source = tmp_path / "f.cpp"
    source.write_text(f"{HEAD} {{ {body} }}")
    (found,) = lift_file(str(source), out=str(tmp_path), run=False).functions
    assert found.lifted is not None
    return found.lifted


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("for (int i = 0; i < n; i++) d[i] = s[p[i]];", "verified"),
        ("for (int i = 0; i < n; i++) d[i] = p[i] < 0 ? 0 : s[p[i]];", "verified"),
        # Where the mask lets it be, nothing need be behind the table's pointer.
        ("for (int i = 0; i < n; i++) if (m[i]) d[i] = s[p[i]];", "not_found"),
        ("for (int i = 0; i < n; i++) d[i] = m[i] ? s[p[i]] : 0;", "not_found"),
        # How much is read of the one says the other.
        ("for (int i = 0; i < n; i++) d[i] = s[p[p[i]]];", "not_found"),
    ],
)
def test_what_is_measured_is_read(tmp_path: Path, body: str, status: str) -> None:
    lifted = _lifted(tmp_path, body)
    assert lifted.status == status, lifted.reason


def _failing(lifted: Lifted, summary: PathSummary) -> set[str]:
    """The names of the conditions that do not hold of another summary."""
    verdict = decide(PathConditions(lifted.function, lifted.paths[0], summary).generate(), 5.0)
    return {d.condition.name for d in verdict.failures()}


def _with(summary: PathSummary, array: str, change: dict[str, Poly]) -> PathSummary:
    def changed(i: InputSummary) -> InputSummary:
        if i.layout.array != array:
            return i
        dims: tuple[Dim, ...] = tuple(replace(d, **change) for d in i.layout.dims)
        return replace(i, layout=replace(i.layout, dims=dims))

    return replace(summary, inputs=tuple(map(changed, summary.inputs)))


def test_other_parts_are_refused(tmp_path: Path) -> None:
    """Less than what is read, and more of it."""
    lifted = _lifted(tmp_path, "for (int i = 0; i < n; i++) d[i] = s[p[i]];")
    assert lifted.summary is not None
    (summary,) = lifted.summary.paths
    (box,) = (i.layout.dims[0] for i in summary.inputs if i.layout.array == "p")
    one = Poly.constant(1)
    assert not _failing(lifted, summary)
    assert "measured" in _failing(lifted, _with(summary, "p", {"extent": box.extent - one}))
    assert "measured" in _failing(lifted, _with(summary, "p", {"extent": box.extent + one}))
    assert "measured" in _failing(lifted, _with(summary, "p", {"min": box.min - one}))


def test_loops_that_do_not_run(tmp_path: Path) -> None:
    """The table is read where all loops run: an adapter looks at it where there is something to do."""
    body = "for (int y = 0; y < h; y++) for (int i = 0; i < n; i++) d[y * n + i] = s[p[i]];"
    lifted = _lifted(tmp_path, body)
    assert lifted.status == "verified", lifted.reason
    assert lifted.summary is not None
    sizes = lifted.summary.paths[0].sizes_without(lifted.function.measured_ends)
    assert {str(p) for p in sizes} == {"n", "h"}


@pytest.mark.parametrize("loop", ["unsigned k = 0; k < c[i] - 1u", "unsigned k = c[i] - 2u; k < 7u"])
def test_ends_that_wrap_are_not_bounded(tmp_path: Path, loop: str) -> None:
    """One less than the greatest is no bound where one less than zero is the greatest of all."""
    source = tmp_path / "f.cpp"
    source.write_text(
        "#include <cstdint>\nvoid f(unsigned* d, const uint16_t* c, int n, unsigned p) {\n"
        "  for (int i = 0; i < n; i++) {"
        f"  unsigned s = 0; for ({loop}; k++) s += p; d[i] = s; }} }}"
    )
    (found,) = lift_file(str(source), out=str(tmp_path), run=False).functions
    assert found.status != "verified"
