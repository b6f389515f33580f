"""Mathematical functions of constants, as the system's compiler computes them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from halide_core.ir.expr import Call, CallType, const, const_value
from halide_core.ir.types import Float
from lifter.ir.c_library import as_compiled

NAMES = (
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh"),
    *("cosh", "tanh", "asinh", "atanh", "cbrt", "erf", "erfc", "tgamma"),
)
NUMBERS = (0.01, 0.17, 0.5, 0.7331, 0.999)
PAIRS = (("pow", 0.3, 2.2), ("pow", 8.0, 0.01), ("atan2", 0.3, -0.7), ("hypot", 0.1, 0.7))


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_constants_are_what_gcc_makes_of_them(tmp_path: Path) -> None:
    calls = [(name, (x,)) for name in NAMES for x in NUMBERS] + [(name, (x, y)) for name, x, y in PAIRS]
    calls += [("acosh", (1.7,)), ("cbrt", (-0.01,)), ("sin", (-0.0,)), ("exp", (0.0,)), ("log", (1.0,))]
    lines, ours = [], []
    for name, numbers in calls:
        for bits, suffix in ((64, ""), (32, "f")):
            given = ", ".join(f"{x!r}{suffix}" for x in numbers)
            lines.append(f'std::printf("%a\\n", (double)__builtin_{name}{suffix}({given}));')
            arguments = tuple(const(x, Float(bits)) for x in numbers)
            found = as_compiled(Call(Float(bits), name + suffix, arguments, CallType.PURE_EXTERN))
            value = const_value(found)
            assert value is not None, (name, numbers, bits)
            ours.append(float(value))
    source, program = tmp_path / "calls.cpp", tmp_path / "calls"
    source.write_text("#include <cstdio>\nint main() {\n" + "\n".join(lines) + "\n}\n")
    subprocess.run(["g++", "-O1", str(source), "-o", str(program)], check=True)
    theirs = [float.fromhex(x) for x in subprocess.run([program], capture_output=True, text=True).stdout.split()]
    assert [x.hex() for x in ours] == [x.hex() for x in theirs]


def test_squares_are_products() -> None:
    x = Call(Float(32), "expf", (const(1e30, Float(32)),), CallType.PURE_EXTERN)  # which overflows, and stays a call
    assert as_compiled(x) is x
    square = as_compiled(Call(Float(32), "powf", (x, const(2.0, Float(32))), CallType.PURE_EXTERN))
    assert str(square) == str(x * x)
