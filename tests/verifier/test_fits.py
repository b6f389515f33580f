"""Coordinates are computed in 32 bits: sums and products that the original makes in 64 must fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lifter.frontend import parse_file
from synth.lift import Lifted, lift_function
from verifier.decide import verify_path

WIDE = {
    "a step in fixed point": ("int n, int64_t dx", "d[x] = a[(x * dx) >> 16]", "n*dx + dx does not overflow int32"),
    "a quotient": ("int n, int m", "d[x] = a[(int64_t)x * m / n]", "n*m + m does not overflow int32"),
    "a remainder": ("int n, int m", "d[x] = a[(int64_t)x * m % n]", "n*m + m does not overflow int32"),
    "every second": ("int64_t n", "d[x] = a[2LL * x]", "n*2 + 1 does not overflow int32"),
    "a pitch of any sign": ("int n, int64_t m", "d[x] = a[2 * x + m]", "n*2 + m <= 2147483649"),
    "of any sign": ("int n, int m", "d[x] = a[2LL * x - m]", "n*2 <= m + 2147483649"),
}


def lifted(tmp_path: Path, parameters: str, body: str) -> Lifted:
    source = tmp_path / "source.cpp"
    source.write_text(
        f"#include <cstdint>\nvoid f(const uint8_t* a, uint8_t* d, {parameters}) {{"
        f"for (int x = 0; x < n; x++) {body}; }}\n"
    )
    (f,) = parse_file(str(source)).functions
    found = lift_function(f)  # type: ignore[arg-type]
    assert found.status == "verified" and found.summary is not None, found.reason
    return found


@pytest.mark.parametrize("name", WIDE)
def test_what_64_bits_hold_must_fit_32(name: str, tmp_path: Path) -> None:
    parameters, body, item = WIDE[name]
    found = lifted(tmp_path, parameters, body)
    assert found.summary is not None
    (summary,), (path,) = found.summary.paths, found.paths
    # The order of terms is that in which this process has met them.
    assert sorted(item.split()) in [sorted(i.text.split()) for i in summary.contract]
    without = replace(summary, contract=tuple(i for i in summary.contract if "overflow" not in i.kind))
    verdict = verify_path(found.function, path, without)
    assert "fits" in {d.condition.name for d in verdict.decisions if not d.proved}


@pytest.mark.parametrize("body", ["d[x] = a[2 * x + 1]", "d[x] = a[x + 1]", "d[x] = a[x * m / n]"])
def test_what_the_original_promises_is_not_asked_again(body: str, tmp_path: Path) -> None:
    found = lifted(tmp_path, "int n, int m", body)
    assert found.summary is not None
    assert not [i.text for p in found.summary.paths for i in p.contract if "overflow" in i.text]
