"""The module that OutputFileType.python_extension makes of a pipeline."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import halide_core as hl

INCLUDE = Path(sysconfig.get_paths()["include"])
pytestmark = pytest.mark.skipif(
    shutil.which("g++") is None or not (INCLUDE / "Python.h").exists(), reason="needs g++ and Python's headers"
)


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A module with scaled(image, by, shift, out), each name after `scaled_`: out is `by` times the image, plus 100 * x
    where `shift` holds."""
    folder = tmp_path_factory.mktemp("extension")
    x, y = hl.vars("x y")
    # Names that no other test's Params have.
    image, by = hl.ImageParam(hl.UInt(8), 2, "scaled_image"), hl.Param(hl.Int(16), "scaled_by")
    shift = hl.Param(hl.Bool(), "scaled_shift")
    f = hl.Func("scaled_out")
    f[x, y] = hl.i16(image[x, y]) * by + hl.select(shift, hl.i16(x) * 100, hl.i16(0))
    kinds = hl.OutputFileType
    files = {kinds.object: str(folder / "scaled.o"), kinds.python_extension: str(folder / "scaled.py.cpp")}
    f.compile_to(files, [image, by, shift], "scaled")
    library = folder / "scaled.so"
    command = ["g++", "-shared", "-fPIC", f"-I{INCLUDE}", *files.values(), "-o", library, "-lpthread", "-lm"]
    subprocess.run(command, check=True)
    found = importlib.util.spec_from_file_location("scaled", library)
    assert found is not None and found.loader is not None
    made = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    return made


def test_dimension_0_is_the_last_axis(module: Any) -> None:
    image = np.arange(12, dtype=np.uint8).reshape(3, 4)
    out = np.empty((3, 4), np.int16)
    module.scaled(image, -3, True, out)
    assert (out == image.astype(np.int16) * -3 + np.arange(4) * 100).all()


def test_dimension_0_is_the_first_axis_in_fortrans_order(module: Any) -> None:
    image = np.asfortranarray(np.arange(12, dtype=np.uint8).reshape(3, 4))
    out = np.empty((3, 4), np.int16, order="F")
    module.scaled(scaled_image=image, scaled_by=2, scaled_shift=True, scaled_out=out)
    assert (out == image.astype(np.int16) * 2 + np.arange(3).reshape(3, 1) * 100).all()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"scaled_by": 1 << 20}, OverflowError),
        ({"scaled_by": 1.5}, TypeError),
        ({"scaled_image": np.zeros((3, 4), np.int8)}, ValueError),
        ({"scaled_image": np.zeros(3, np.uint8)}, ValueError),
        ({"scaled_image": np.zeros((2, 4), np.uint8)}, RuntimeError),
        ({"other": 1}, TypeError),
    ],
)
def test_what_does_not_fit_is_refused(module: Any, change: dict[str, Any], error: type[Exception]) -> None:
    given: dict[str, Any] = {"scaled_image": np.zeros((3, 4), np.uint8), "scaled_by": 1, "scaled_shift": False}
    given["scaled_out"] = np.empty((3, 4), np.int16)
    with pytest.raises(error):
        module.scaled(**(given | change))


def test_an_output_must_be_writable(module: Any) -> None:
    out = np.empty((3, 4), np.int16)
    out.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        module.scaled(np.zeros((3, 4), np.uint8), 1, False, out)
