"""ImageParam, OutputImageParam and what they share with Buffer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halide_core.dsl.overloads import overloaded
from halide_core.errors import HalideError
from halide_core.function import IMAGE_PARAMS, PARAM_NUMBERS, Image
from halide_core.ir.expr import I32, I64, Call, CallType, Cast, Expr, Variable, const
from halide_core.ir.operators import as_expr, cast_to
from halide_core.ir.types import Type

PLACEHOLDER = "_"


def expand_placeholder(args: Sequence[Any], count: int, what: str) -> list[Any]:
    """`args` with Halide's `_` replaced by as many of the implicit _0, _1, ... as make `count` of them."""
    names = [getattr(a, "_name", None) for a in args]
    if names.count(PLACEHOLDER) > 1:
        raise HalideError(f"{what}: the placeholder _ may stand in one place only")
    if PLACEHOLDER not in names:
        return list(args)
    place = names.index(PLACEHOLDER)
    missing = max(count - len(args) + 1, 0)
    fill = [Variable(I32, f"_{k}") for k in range(missing)]
    return [*args[:place], *fill, *args[place + 1 :]]


def image_call(image: Image, args: Any) -> Expr:
    """The element of `image` at the coordinates `args`."""
    items = list(args) if isinstance(args, tuple | list) else [args]
    items = expand_placeholder(items, image.dimensions, image.name)
    exprs = tuple(coordinate(a, image.name, k) for k, a in enumerate(items))
    if len(exprs) != image.dimensions:
        raise HalideError(
            f'Func "{image.name}" was called with {len(exprs)} arguments, but was defined with {image.dimensions}'
        )
    return Call(image.type, image.name, exprs, CallType.IMAGE, 0, image)


def coordinate(value: Any, name: str, place: int = 0) -> Expr:
    """A coordinate of the Func or image `name`, an int32; the one number `place` of those of a call."""
    e = as_expr(value)
    if e.type.is_float() or e.type.is_handle() or (e.type.is_int_or_uint() and e.type.bits == 64):
        raise HalideError(
            f'Implicit cast from {e.type} to int in argument {place + 1} in call to "{name}" is not allowed. Use an '
            "explicit cast."
        )
    return cast_to(I32, e)


class Dimension:
    """One dimension of an ImageParam or of an output; the setters pin metadata and return the dimension."""

    def __init__(self, image: Image, index: int) -> None:
        self._image = image
        self._index = index

    def _get(self, what: str) -> Expr:
        name = f"{what}.{self._index}"
        return self._image.fixed.get(name, Variable(I32, f"{self._image.name}.{name}"))

    def _set(self, what: str, value: Any) -> Dimension:
        """`value` Expr(): nothing is stated."""
        if getattr(value, "is_undefined", False):
            self._image.fixed.pop(f"{what}.{self._index}", None)
        else:
            self._image.fixed[f"{what}.{self._index}"] = cast_to(I32, as_expr(value))
        return self

    def dim(self, dimension: int) -> Dimension:
        """Another dimension of the same image."""
        if not 0 <= dimension < self._image.dimensions:
            raise HalideError(f"{self._image.name} has no dimension {dimension}")
        return Dimension(self._image, dimension)

    def min(self) -> Expr:
        return self._get("min")

    def extent(self) -> Expr:
        return self._get("extent")

    def stride(self) -> Expr:
        name = f"stride.{self._index}"
        return self._image.fixed.get(name, Cast(I32, Variable(I64, f"{self._image.name}.{name}")))

    def max(self) -> Expr:
        return self.min() + self.extent() - 1

    def set_min(self, min: Any) -> Dimension:
        return self._set("min", min)

    def set_extent(self, extent: Any) -> Dimension:
        return self._set("extent", extent)

    def set_stride(self, stride: Any) -> Dimension:
        return self._set("stride", stride)

    def set_bounds(self, min: Any, extent: Any) -> Dimension:
        return self._set("min", min)._set("extent", extent)

    def set_estimate(self, min: Any, extent: Any) -> Dimension:
        """States the likely range, for autoschedulers."""
        self._image.estimates[self._index] = (cast_to(I32, as_expr(min)), cast_to(I32, as_expr(extent)))
        return self


class Shaped:
    """What images and Buffers share: dimensions with metadata and indexing."""

    @property
    def _shape(self) -> Image:
        """What is known of it."""
        raise NotImplementedError

    def _called(self) -> Image:
        """The same, for an expression that calls it."""
        return self._shape

    def dim(self, dimension: int) -> Any:
        if not 0 <= dimension < self._shape.dimensions:
            raise HalideError(f"{self._shape.name} has no dimension {dimension}")
        return Dimension(self._shape, dimension)

    def _dims(self) -> list[Any]:
        return [self.dim(i) for i in range(self._shape.dimensions)]

    def name(self) -> str:
        return self._shape.name

    def type(self) -> Type:
        return self._shape.type

    def dimensions(self) -> int:
        return self._shape.dimensions

    def _at(self, dimension: int) -> Any:
        """Dimension 0 of 0-dimensional things has extent 1, as in Halide."""
        return self.dim(dimension)

    def width(self) -> Any:
        return self._at(0).extent()

    def height(self) -> Any:
        return self._at(1).extent()

    def channels(self) -> Any:
        return self._at(2).extent()

    def left(self) -> Any:
        return self._at(0).min()

    def right(self) -> Any:
        return self._at(0).max()

    def top(self) -> Any:
        return self._at(1).min()

    def bottom(self) -> Any:
        return self._at(1).max()


class OutputImageParam(Shaped):
    """The buffer that an output Func is written to: constraints of its dimensions, checked by every realization."""

    _image: Image

    def __init__(self, image: Image | None = None) -> None:
        if image is not None:
            self._image = image

    @property
    def _shape(self) -> Image:
        return self._image

    def defined(self) -> bool:
        return hasattr(self, "_image")

    def set_host_alignment(self, alignment: int) -> Any:
        """States that the memory starts at a multiple of so many bytes."""
        if alignment < 1 or alignment & (alignment - 1):
            raise HalideError(f"The host alignment of {self.name()} must be a power of two, not {alignment}")
        self._image.alignment = alignment
        return self

    def host_alignment(self) -> int:
        return self._image.alignment

    def set_estimates(self, estimates: Sequence[Any]) -> Any:
        """States the likely ranges (min, extent) of all dimensions, for autoschedulers."""
        if len(estimates) != self.dimensions():
            raise HalideError(
                f"ImageParam {self.name()} has {self.dimensions()} dimensions, but the estimates passed to "
                f"set_estimates contains {len(estimates)} pairs."
            )
        for d, r in enumerate(estimates):
            low, extent = (r.min, r.extent) if hasattr(r, "extent") else r
            self.dim(d).set_estimate(low, extent)
        return self

    def store_in(self, memory_type: Any) -> Any:
        return self

    def __repr__(self) -> str:
        kind = type(self).__name__
        if not self.defined():
            return f"<halide.{kind} {kind}()>"
        return f"<halide.{kind} '{self.name()}', dims: {self.dimensions()}, type: {self.type()}>"


class ImageParam(OutputImageParam):
    """An input image of a pipeline; stride 1 in dimension 0 unless set otherwise."""

    def __init__(self, type: Type | None = None, dimensions: int = 0, name: str | None = None) -> None:
        if type is None:
            return
        self._image = Image(name or f"p{next(PARAM_NUMBERS)}", type, dimensions)
        IMAGE_PARAMS[self._image.name] = self._image
        if dimensions:
            self._image.fixed["stride.0"] = const(1, I32)
        self._buffer: Any = None
        self._image.owner = self

    def __getitem__(self, args: Any) -> Expr:
        return image_call(self._image, args)

    def __call__(self, *args: Any) -> Expr:
        return image_call(self._image, args)

    def set(self, buffer: Any) -> None:
        """The array that `realize` reads."""
        from halide_core.dsl.buffer import Buffer

        self._buffer = buffer if isinstance(buffer, Buffer) else Buffer(buffer)
        if self._buffer.type() != self.type():
            raise HalideError(
                f"Can't bind ImageParam {self.name()} of type {self.type()} to Buffer {self._buffer.name()} of type "
                f"{self._buffer.type()}"
            )
        self._image.array = self._buffer

    def get(self) -> Any:
        return self._buffer

    @overloaded("f", "fs", "")
    def in_(self, consumers: Any = None) -> Any:
        """A Func that copies the image and is used instead of it by `consumers`, a Func or several (None: by all)."""
        from halide_core.dsl.wrapping import image_wrapper

        several = consumers is None or isinstance(consumers, list | tuple)
        return image_wrapper(self._image, consumers if several else [consumers])

    def trace_loads(self) -> None:
        """Prints each load of an element."""
        self._image.traced = ("loads",)

    def add_trace_tag(self, trace_tag: str) -> None:
        """Prints `trace_tag` when a pipeline with the image begins."""
        self._image.trace_tags = (*self._image.trace_tags, trace_tag)

    def reset(self) -> None:
        self._buffer = self._image.array = None
