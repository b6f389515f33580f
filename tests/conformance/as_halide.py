"""Runs a script for which `halide` is `halide_core`: python -m tests.conformance.as_halide SCRIPT."""

from __future__ import annotations

import importlib
import runpy
import sys
from pathlib import Path

import halide_core


def main(script: str) -> None:
    """Runs the script as Python itself would: its folder is searched for modules first."""
    sys.modules["halide"] = halide_core
    sys.modules["halide.imageio"] = importlib.import_module("halide_core.imageio")
    sys.argv = [script]
    sys.path.insert(0, str(Path(script).parent))
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1])
