"""Images from and to files, by the package imageio, in the layout that Buffers have by default: plane by plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from halide_core.errors import HalideError

_CHANNELS = (1, 2, 3, 4)


def is_interleaved(im: Any) -> bool:
    """Whether the channels of each pixel are neighbours: three dimensions, the last one of four elements at most."""
    a = np.asarray(im)
    return a.ndim == 3 and a.strides[2] == a.itemsize and a.shape[2] in _CHANNELS


def copy_to_interleaved(im: Any) -> Any:
    """A copy of a planar image (channel, y, x) as (y, x, channel); other images as they are."""
    a = np.asarray(im)
    return np.ascontiguousarray(np.moveaxis(a, 0, 2)) if a.ndim == 3 and not is_interleaved(a) else im


def copy_to_planar(im: Any) -> Any:
    """A copy of an interleaved image (y, x, channel) as (channel, y, x); other images as they are."""
    a = np.asarray(im)
    return np.ascontiguousarray(np.moveaxis(a, 2, 0)) if is_interleaved(a) else im


def imread(uri: Any, format: Any = None, **kwargs: Any) -> Any:
    """The image in a file as an array, (channel, y, x) or (y, x)."""
    return copy_to_planar(np.asarray(_imageio().imread(uri, format, **kwargs)))


def imwrite(uri: Any, im: Any, format: Any = None, **kwargs: Any) -> None:
    """Writes an array or a Buffer, planar or interleaved, to a file of the kind that its name says."""
    _imageio().imwrite(uri, np.asarray(copy_to_interleaved(im)), format, **kwargs)


def _imageio() -> Any:
    try:
        import imageio.v2 as imageio
    except ImportError as e:
        raise HalideError("Images are read and written by the package imageio, which is not installed") from e
    return imageio
