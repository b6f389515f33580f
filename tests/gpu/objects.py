"""Pipelines as shared libraries made of their objects."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import halide_core as hc
from tests.gpu.check.libraries import ERRORS, Loaded, buffer_of
from tests.gpu.driver_library import redirect
from tests.gpu.running import TARGET

__all__ = ["DEVICE_DIRTY", "HOST_DIRTY", "Library", "buffer_of", "linked"]
HOST_DIRTY, DEVICE_DIRTY = 1, 2


def linked(
    folder: Path, f: Any, arguments: Sequence[Any], target: str = TARGET, name: str = "run", more: str = "",
    redirected: bool = True,
) -> Path:
    """A library with the function `run`, and `more` C code; `redirected`: it takes the stand-in for the driver."""
    path, made = folder / f"{name}.o", folder / f"{name}.so"
    f.compile_to_object(str(path), list(arguments), "run", hc.Target(target))
    if redirected:
        redirect(path)
    source = folder / f"{name}.c"
    source.write_text(ERRORS + more)
    command = ["cc", "-shared", "-fPIC", str(path), str(source), "-o", str(made)]
    subprocess.run([*command, "-Wl,-z,defs", "-ldl", "-lpthread", "-lm"], check=True)
    path.unlink()
    source.unlink()
    return made


class Library(Loaded):
    """The library of a pipeline; arguments are those of `linked`."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(linked(*arguments, **named))
