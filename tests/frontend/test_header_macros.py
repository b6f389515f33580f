"""What the own header of intrinsics has macros for is what the compiler's has."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from lifter.api import lift_file
from lifter.simd.declarations import headers


def test_numbers(tmp_path: Path) -> None:
    found = re.findall(r"^#define (_\w+) (\w+)$", headers()["immintrin.h"], re.MULTILINE)
    known = {name: value for name, value in found if re.match(r"0x|\d", value)}
    assert known.keys() > {"_CMP_NEQ_OQ", "_MM_PERM_ABCD", "_MM_ROUND_UP", "_MM_TERNLOG_C"}
    checks = [f'_Static_assert({name} == {value}, "{name}");' for name, value in known.items()]
    source = tmp_path / "checks.c"
    source.write_text("#include <immintrin.h>\n" + "\n".join(checks) + "\n")
    subprocess.run(["cc", "-mavx512f", "-fsyntax-only", str(source)], check=True)


def test_functions(tmp_path: Path) -> None:
    source = Path(__file__).with_name("header_macros.c")
    here = "avx" in Path("/proc/cpuinfo").read_text().split()
    report = lift_file(str(source), out=str(tmp_path), clang_args=("-mavx",), run=here)
    assert [f.status for f in report.functions] == ["verified"] * 2, [f.reason for f in report.functions]
    assert all(f.run is not None and f.run.calls for f in report.functions) or not here
