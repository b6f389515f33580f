"""Functions of a text in C or C++, lifted: the drop-in beside the original."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

from lifter.api import lift_file


def libraries(folder: Path, text: str, suffix: str = "cpp") -> tuple[ctypes.CDLL, ctypes.CDLL, dict[str, str]]:
    """(The originals, the drop-ins, the linker's name of each function); every function must be verified."""
    source = folder / f"f.{suffix}"
    source.write_text(text)
    report = lift_file(str(source), out=str(folder), emit=("shared",), run=False)
    assert all(f.status == "verified" for f in report.functions), [(f.name, f.reason) for f in report.functions]
    original = folder / "original.so"
    compiler = "gcc" if suffix == "c" else "g++"
    flags = ["-O2", "-fno-strict-aliasing", "-ffp-contract=off", "-fPIC", "-shared"]
    subprocess.run([compiler, *flags, "-o", str(original), str(source)], check=True)
    symbols = {f.name: f.lifted.function.symbol for f in report.functions if f.lifted is not None}
    return ctypes.CDLL(str(original)), ctypes.CDLL(str(folder / "libf_lifted.so")), symbols
