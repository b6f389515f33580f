"""C functions for external stages, in a library of this process."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).with_name("extern_stages.cpp").read_text()


@cache
def library() -> ctypes.CDLL:
    """The functions of SOURCE, compiled and loaded where pipelines find them."""
    with tempfile.TemporaryDirectory() as folder:
        source, path = Path(folder) / "stages.cpp", Path(folder) / "libstages.so"
        source.write_text(SOURCE)
        subprocess.run(["g++", "-shared", "-fPIC", "-O1", source, "-o", path], check=True)
        return ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
