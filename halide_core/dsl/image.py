"""ImageParam and Buffer."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from halide_core.errors import HalideError
from halide_core.function import Image
from halide_core.interp.expr import dtype_of, type_of
from halide_core.ir.expr import I32, Call, CallType, Expr, Variable, const
from halide_core.ir.operators import as_expr, cast_to
from halide_core.ir.types import Type

_COUNTER = itertools.count()


def image_call(image: Image, args: Any) -> Expr:
    """The element of `image` at the coordinates `args`."""
    coordinates = args if isinstance(args, tuple) else (args,)
    exprs = tuple(cast_to(I32, as_expr(a)) for a in coordinates)
    if len(exprs) != image.dimensions:
        raise HalideError(f"{image.name} has {image.dimensions} dimensions and was given {len(exprs)} coordinates")
    return Call(image.type, image.name, exprs, CallType.IMAGE, 0, image)


class Dimension:
    """One dimension of an ImageParam; the setters pin metadata and return the dimension."""

    def __init__(self, image: Image, index: int) -> None:
        self._image = image
        self._index = index

    def _get(self, what: str) -> Expr:
        name = f"{what}.{self._index}"
        return self._image.fixed.get(name, Variable(I32, f"{self._image.name}.{name}"))

    def _set(self, what: str, value: Any) -> Dimension:
        self._image.fixed[f"{what}.{self._index}"] = cast_to(I32, as_expr(value))
        return self

    def min(self) -> Expr:
        return self._get("min")

    def extent(self) -> Expr:
        return self._get("extent")

    def stride(self) -> Expr:
        return self._get("stride")

    def max(self) -> Expr:
        return self.min() + self.extent() - 1

    def set_min(self, value: Any) -> Dimension:
        return self._set("min", value)

    def set_extent(self, value: Any) -> Dimension:
        return self._set("extent", value)

    def set_stride(self, value: Any) -> Dimension:
        return self._set("stride", value)

    def set_bounds(self, low: Any, extent: Any) -> Dimension:
        return self._set("min", low)._set("extent", extent)

    def set_estimate(self, low: Any, extent: Any) -> Dimension:
        return self


class _Shaped:
    """What ImageParam and Buffer share: dimensions with symbolic metadata and indexing."""

    _image: Image

    def dim(self, index: int) -> Any:
        if not 0 <= index < self._image.dimensions:
            raise HalideError(f"{self._image.name} has no dimension {index}")
        return Dimension(self._image, index)

    def _dims(self) -> list[Any]:
        return [self.dim(i) for i in range(self._image.dimensions)]

    def name(self) -> str:
        return self._image.name

    def type(self) -> Type:
        return self._image.type

    def dimensions(self) -> int:
        return self._image.dimensions

    def width(self) -> Any:
        return self.dim(0).extent()

    def height(self) -> Any:
        return self.dim(1).extent()

    def channels(self) -> Any:
        return self.dim(2).extent()

    def left(self) -> Any:
        return self.dim(0).min()

    def right(self) -> Any:
        return self.dim(0).max()

    def top(self) -> Any:
        return self.dim(1).min()

    def bottom(self) -> Any:
        return self.dim(1).max()


class ImageParam(_Shaped):
    """An input image of a pipeline; stride 1 in dimension 0 unless set otherwise."""

    def __init__(self, type_: Type, dimensions: int, name: str | None = None) -> None:
        self._image = Image(name if name is not None else f"im{next(_COUNTER)}", type_, dimensions)
        if dimensions:
            self._image.fixed["stride.0"] = const(1, I32)
        self._buffer: Buffer | None = None

    def __getitem__(self, args: Any) -> Expr:
        return image_call(self._image, args)

    def __call__(self, *args: Any) -> Expr:
        return image_call(self._image, args)

    def set(self, buffer: Any) -> None:
        """The array that `realize` reads."""
        self._buffer = buffer if isinstance(buffer, Buffer) else Buffer(buffer)
        self._image.array = self._buffer

    def get(self) -> Buffer | None:
        return self._buffer

    def reset(self) -> None:
        self._buffer = self._image.array = None


class BufferDimension:
    """One dimension of a Buffer."""

    def __init__(self, low: int, extent: int, stride: int) -> None:
        self._values = (low, extent, stride)

    def min(self) -> int:
        return self._values[0]

    def extent(self) -> int:
        return self._values[1]

    def stride(self) -> int:
        """Elements between neighbours."""
        return self._values[2]

    def max(self) -> int:
        return self._values[0] + self._values[1] - 1


class Buffer(_Shaped):
    """A view of a NumPy array, without copying: dimension 0 is the array's last axis unless `reverse_axes` is
    off.  Or new zeroed storage: Buffer(type, [width, height])."""

    def __init__(self, *args: Any, name: str | None = None, reverse_axes: bool = True) -> None:
        if args and isinstance(args[0], Type):
            sizes = list(args[1]) if len(args) > 1 else []
            array: np.ndarray[Any, Any] = np.zeros(tuple(reversed(sizes)), dtype=dtype_of(args[0]))
        else:
            array = np.asarray(args[0])
        self._reverse = reverse_axes
        self.array = array
        self._mins = [0] * array.ndim
        label = name or next((a for a in args[1:] if isinstance(a, str)), None) or f"b{next(_COUNTER)}"
        self._image = Image(label, type_of(array.dtype), array.ndim, {}, self, False)

    def set_min(self, mins: Sequence[int]) -> None:
        """The coordinates of the first element."""
        self._mins = list(mins)

    def translate(self, offsets: Sequence[int]) -> None:
        self._mins = [a + b for a, b in zip(self._mins, offsets, strict=True)]

    def strides(self) -> list[int]:
        """Elements between neighbours, by dimension."""
        steps = [s // self.array.itemsize for s in self.array.strides]
        return steps[::-1] if self._reverse else steps

    def extents(self) -> list[int]:
        return list(self.array.shape[::-1] if self._reverse else self.array.shape)

    def mins(self) -> list[int]:
        return list(self._mins)

    def dim(self, index: int) -> BufferDimension:
        if not 0 <= index < self.array.ndim:
            raise HalideError(f"{self._image.name} has no dimension {index}")
        return BufferDimension(self._mins[index], self.extents()[index], self.strides()[index])

    def coordinates(self, args: Any) -> tuple[int, ...]:
        """The array's own index of the element at `args`."""
        values = args if isinstance(args, tuple) else (args,)
        local = tuple(int(a) - m for a, m in zip(values, self._mins, strict=True))
        return local[::-1] if self._reverse else local

    def __getitem__(self, args: Any) -> Any:
        values = args if isinstance(args, tuple) else (args,)
        if all(isinstance(a, int | np.integer) for a in values):
            return self.array[self.coordinates(values)].item()
        return image_call(self._image, values)

    def __setitem__(self, args: Any, value: Any) -> None:
        self.array[self.coordinates(args)] = value

    def __call__(self, *args: Any) -> Any:
        return self[args]

    def fill(self, value: Any) -> None:
        self.array[...] = value

    def copy(self) -> Buffer:
        other = Buffer(self.array.copy(), reverse_axes=self._reverse)
        other._mins = list(self._mins)
        return other

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return self.array if dtype is None else self.array.astype(dtype)
