"""halide_core.imageio beside halide.imageio."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import halide_core as hl
from halide_core import imageio

pytest.importorskip("imageio")
theirs = pytest.importorskip("halide.imageio")


def interleaved(*shape: int, dtype: str = "u1") -> np.ndarray:
    return (np.arange(np.prod(shape)) % 251).astype(dtype).reshape(shape)


IMAGES = [interleaved(5, 7), interleaved(5, 7, 3), interleaved(5, 7, 4), np.moveaxis(interleaved(5, 7, 3), 2, 0)]


@pytest.mark.parametrize("image", IMAGES)
def test_layouts_agree(image: np.ndarray) -> None:
    assert imageio.is_interleaved(image) == theirs.is_interleaved(image)
    for name in ("copy_to_planar", "copy_to_interleaved"):
        ours, other = getattr(imageio, name)(image), getattr(theirs, name)(image)
        assert np.array_equal(ours, other)


@pytest.mark.parametrize("image", IMAGES)
def test_files_are_read_as_they_were_written(image: np.ndarray, tmp_path: Path) -> None:
    imageio.imwrite(tmp_path / "a.png", image)
    theirs.imwrite(tmp_path / "b.png", np.ascontiguousarray(image))
    for name in ("a.png", "b.png"):
        ours, other = imageio.imread(tmp_path / name), theirs.imread(tmp_path / name)
        assert np.array_equal(ours, other) and ours.dtype == other.dtype
        assert np.array_equal(ours, imageio.copy_to_planar(image))


def test_buffers_are_written(tmp_path: Path) -> None:
    b = hl.Buffer(np.moveaxis(interleaved(5, 7, 3), 2, 0))
    imageio.imwrite(tmp_path / "a.png", b)
    assert np.array_equal(imageio.imread(tmp_path / "a.png"), np.asarray(b))


def test_channels_of_16_bits_are_seen() -> None:
    image = interleaved(5, 7, 3, dtype="u2")
    assert imageio.is_interleaved(image)
    assert imageio.copy_to_planar(image).shape == (3, 5, 7)


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imageio.v2", None)
    with pytest.raises(hl.HalideError, match="the package imageio, which is not installed"):
        imageio.imread("a.png")
