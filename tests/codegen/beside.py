"""A file of C as a drop-in library, and as its own compiler makes it."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

from lifter.api import lift_file

Libraries = tuple[ctypes.CDLL, ctypes.CDLL]
"""The lifted functions, and the originals."""


def both(source: Path, folder: Path) -> Libraries:
    """The libraries of a file of which every function is verified."""
    found = lift_file(str(source), out=str(folder), emit=("shared",)).functions
    assert found and {f.status for f in found} == {"verified"}, [(f.name, f.reason) for f in found]
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", source, "-o", folder / "original.so"], check=True)
    return ctypes.CDLL(str(folder / f"lib{source.stem}_lifted.so")), ctypes.CDLL(str(folder / "original.so"))
