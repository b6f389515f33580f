"""Buffer: a NumPy array, or memory of its own, with coordinates that may start anywhere."""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from halide_core.dsl.image import Shaped, image_call
from halide_core.dsl.overloads import overloaded
from halide_core.errors import HalideError, ValueNotTaken
from halide_core.function import Image
from halide_core.gpu import dlpack
from halide_core.gpu.device_arrays import LEGACY_STREAM, DeviceArray, device_array
from halide_core.gpu.device_memory import DeviceMemory
from halide_core.gpu.runtime import DEVICE_DIRTY, HOST_DIRTY
from halide_core.interp.expr import dtype_of, type_of
from halide_core.ir.expr import I32, const
from halide_core.ir.types import Type

_COUNTER = itertools.count()


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


class Buffer(Shaped):
    """A view of a NumPy array, without copying: Buffer(array, name="", reverse_axes=True), where dimension 0 is the
    array's last axis unless `reverse_axes` is off.  Or new zeroed storage: Buffer(type, sizes, storage_order, name).
    Or another view of a Buffer's memory: Buffer(buffer)."""

    @overloaded("buffer, name?, reverse_axes?", "type, sizes, name?", "type, sizes, storage_order, name?")
    def __init__(self, *args: Any) -> None:
        first, rest = (args[0] if args else None), args[1:]
        name = next((a for a in rest if isinstance(a, str)), "")
        lists = [a for a in rest if isinstance(a, list | tuple)]
        if first is None:
            self._setup(name, type_of(np.dtype("u1")), None, [])
        elif isinstance(first, Buffer):
            first.copy_to_host()
            self._setup(name or first.name(), first.type(), first.view, list(first._mins), first._bits)
            self._shown = True
        elif isinstance(first, Type):
            sizes = lists[0] if lists else []
            order = lists[1] if len(lists) > 1 else range(len(sizes))
            self._setup(name, first, _allocate(first, [int(n) for n in sizes], list(order)), [0] * len(sizes))
        elif hasattr(first, "__cuda_array_interface__"):
            reverse = next((a for a in rest if isinstance(a, bool)), True)
            self._setup_on_device(name, first, reverse)
        else:
            array = np.asarray(first)
            reverse = next((a for a in rest if isinstance(a, bool)), True)
            self._setup(name, type_of(array.dtype), array.T if reverse else array, [0] * array.ndim)
            self._shown = True

    def _setup(
        self,
        name: str,
        type_: Type,
        view: np.ndarray[Any, Any] | None,
        mins: list[int],
        bits: tuple[list[int], list[int]] | None = None,
    ) -> None:
        """`view` has axis i for dimension i; None where there is no memory, when `bits` tells extents and strides."""
        self.view = view
        self._mins = mins
        self._bits = bits
        self._device: DeviceMemory | None = None
        self._others: Any = None
        # Whether the host has changed it, for as long as no device was asked; memory of somebody else's may have been.
        self._shown = False
        self._held = Image(name or f"b{next(_COUNTER)}", type_, len(mins), {}, None, False)
        self._describe()

    def _setup_on_device(self, name: str, array: Any, reverse: bool) -> None:
        """Shows an array of another library's in memory of the device, which it keeps alive."""
        self._show(name, device_array(array), array, reverse)

    def _show(self, name: str, there: DeviceArray, owner: Any, reverse: bool) -> None:
        view = there.on_host()
        self._setup(name, type_of(view.dtype), view.T if reverse else view, [0] * view.ndim)
        there.give(self.device_memory())
        self._others = owner

    def _describe(self) -> None:
        """Has code that reads the Buffer know that it is dense, where it is; its sizes are told when the code runs."""
        self._held.fixed = {"stride.0": const(1, I32)} if self.strides()[:1] == [1] else {}

    @property
    def _shape(self) -> Image:
        return self._held

    def _called(self) -> Image:
        """What expressions call, and keep the Buffer alive with: one that none has called goes when its last user does,
        and with it its memory."""
        self._held.array = self
        return self._held

    @staticmethod
    def _of(
        name: str,
        type_: Type,
        view: np.ndarray[Any, Any] | None,
        mins: list[int],
        bits: tuple[list[int], list[int]] | None = None,
    ) -> Buffer:
        out = Buffer.__new__(Buffer)
        out._setup(name, type_, view, mins, bits)
        return out

    @staticmethod
    def make_bounds_query(type: Type, sizes: Sequence[int], name: str = "") -> Buffer:
        """A Buffer of a shape without memory."""
        extents = [int(n) for n in sizes]
        strides = [int(np.prod(extents[:k], dtype=np.int64)) for k in range(len(extents))]
        return Buffer._of(name, type, None, [0] * len(extents), (extents, strides))

    @staticmethod
    def from_dlpack(array: Any, name: str = "", reverse_axes: bool = True) -> Buffer:
        """A view, without copying, of an array that another library shows by DLPack, on the host or on device 0.

        Raises HalideError for other devices, and for arrays that cannot be a Buffer."""
        if array.__dlpack_device__()[0] == dlpack.CPU:
            return Buffer(np.from_dlpack(array), name, reverse_axes)
        out = Buffer.__new__(Buffer)
        found = dlpack.taken(array)
        out._show(name, found.array, found, reverse_axes)
        return out

    @staticmethod
    def _for_result(type_: Type, sizes: list[int]) -> Buffer:
        """Storage without values, all of which a pipeline is about to write: pages used before cost nothing."""
        memory = _allocate(type_, sizes, list(range(len(sizes))), False)
        return Buffer._of("", type_, memory, [0] * len(sizes))

    @staticmethod
    def make_scalar(type: Type, name: str = "") -> Buffer:
        return Buffer(type, [], name)

    @staticmethod
    def make_interleaved(type: Type, width: int, height: int, channels: int, name: str = "") -> Buffer:
        """Storage in which the channels of a pixel are neighbours."""
        return Buffer(type, [width, height, channels], [2, 0, 1], name)

    @staticmethod
    def make_with_shape_of(src: Buffer, name: str = "") -> Buffer:
        """New storage of the shape and the order of dimensions of another."""
        order = sorted(range(src.dimensions()), key=lambda d: (abs(src.strides()[d]), src.extents()[d]))
        return Buffer._of(name, src.type(), _allocate(src.type(), src.extents(), order), src.mins())

    # What it is.
    @property
    def array(self) -> np.ndarray[Any, Any]:
        """The memory as an array whose last axis is dimension 0."""
        return self._memory().T

    def _memory(self) -> np.ndarray[Any, Any]:
        if self.view is None:
            raise HalideError(f"Buffer {self.name()} has no memory")
        self.copy_to_host()
        return self.view

    def _changed(self) -> np.ndarray[Any, Any]:
        """The memory, which is about to change."""
        memory = self._memory()
        self.set_host_dirty()
        return memory

    def defined(self) -> bool:
        return self.view is not None or self._bits is not None

    def has_memory(self) -> bool:
        return self.view is not None

    def set_name(self, name: str) -> None:
        self._held.name = name

    def same_as(self, other: Buffer) -> bool:
        return self is other or (self.view is not None and self.view is other.view)

    def extents(self) -> list[int]:
        if self.view is None:
            return list(self._bits[0]) if self._bits is not None else []
        return list(self.view.shape)

    def strides(self) -> list[int]:
        """Elements between neighbours, by dimension."""
        if self.view is None:
            return list(self._bits[1]) if self._bits is not None else []
        if self.view.size == 0:  # where NumPy says 0
            return [int(np.prod(self.view.shape[:k], dtype=np.int64)) for k in range(self.view.ndim)]
        return [s // self.view.itemsize for s in self.view.strides]

    def mins(self) -> list[int]:
        return list(self._mins)

    def dim(self, dimension: int) -> BufferDimension:
        if not 0 <= dimension < len(self._mins):
            raise HalideError(f"{self.name()} has no dimension {dimension}")
        return BufferDimension(self._mins[dimension], self.extents()[dimension], self.strides()[dimension])

    def number_of_elements(self) -> int:
        return int(np.prod(self.extents(), dtype=np.int64))

    def size_in_bytes(self) -> int:
        spans = [(n - 1) * abs(s) for n, s in zip(self.extents(), self.strides(), strict=True)]
        return (sum(spans) + 1) * self.type().bytes() if self.number_of_elements() else 0

    def contains(self, coords: Sequence[int]) -> bool:
        """Whether the coordinates, of the first dimensions, lie inside."""
        pairs = zip(coords, self._mins, self.extents(), strict=False)
        return all(low <= c < low + n for c, low, n in pairs)

    # Elements.
    def _index(self, coordinates: Sequence[Any]) -> tuple[int, ...]:
        if len(coordinates) != len(self._mins):
            raise ValueNotTaken(f"Incorrect number of dimensions: {self.name()} has {len(self._mins)}")
        for k, (c, low, n) in enumerate(zip(coordinates, self._mins, self.extents(), strict=True)):
            if not low <= c < low + n:
                raise IndexError(f"index {c} is out of bounds for axis {k} with min={low}, extent={n}")
        return tuple(int(c) - low for c, low in zip(coordinates, self._mins, strict=True))

    def __getitem__(self, args: Any) -> Any:
        values = tuple(args) if isinstance(args, tuple | list) else (args,)
        if all(isinstance(a, int | np.integer) for a in values):
            return self._memory()[self._index(values)].item()
        return image_call(self._called(), values)

    def __setitem__(self, args: Any, value: Any) -> None:
        place = self._index(tuple(args) if isinstance(args, tuple | list) else (args,))
        self._changed()[place] = self._element(value)

    def __call__(self, *args: Any) -> Any:
        return self[args]

    def _element(self, value: Any) -> Any:
        """`value`, where an element of integers can be it."""
        t = self._held.type
        if t.is_int_or_uint() and not t.is_bool():
            if isinstance(value, float | np.floating):
                raise HalideError(f"{value} is no value of {t}, the elements of Buffer {self.name()}; convert it")
            if isinstance(value, int) and not t.min() <= value <= t.max():
                raise HalideError(f"{value} lies outside of {t}, the elements of Buffer {self.name()}")
        return value

    def fill(self, value: Any) -> None:
        self._changed()[...] = self._element(value)

    def all_equal(self, value: Any) -> bool:
        return bool((self._memory() == self._memory().dtype.type(value)).all())

    def for_each_element(self, f: Callable[[list[int]], Any]) -> None:
        """Calls `f` with the coordinates of every element, the first dimension fastest."""
        ranges = [range(low, low + n) for low, n in zip(self._mins, self.extents(), strict=True)]
        for point in itertools.product(*reversed(ranges)):
            f(list(reversed(point)))

    # Other views; those ending in -ed leave this one as it is.
    def _become(self, other: Buffer) -> None:
        self.view, self._mins, self._bits = other.view, other._mins, other._bits
        # Of another shape.
        self._device = None
        self._describe()
        self._held.dimensions = len(self._mins)

    def _derived(self, view: np.ndarray[Any, Any], mins: list[int]) -> Buffer:
        out = Buffer._of(self.name(), self.type(), view, mins)
        out._shown = self.host_dirty()
        return out

    @overloaded("dimension, min, extent", "rect")
    def cropped(self, *args: Any) -> Buffer:
        """cropped(dimension, min, extent), or cropped([(min, extent), ...])."""
        rect = [(args[0], args[1], args[2])] if len(args) == 3 else _numbered(args[0])
        view, mins = self._memory(), self.mins()
        for d, low, extent in rect:
            if low < mins[d] or low + extent > mins[d] + view.shape[d] or extent < 0:
                raise HalideError(
                    f"crop of {self.name()} to [{low}, {low + extent - 1}] in dimension {d}, which runs over "
                    f"[{mins[d]}, {mins[d] + view.shape[d] - 1}]"
                )
            picked = [slice(None)] * view.ndim
            picked[d] = slice(low - mins[d], low - mins[d] + extent)
            view, mins[d] = view[tuple(picked)], low
        return self._derived(view, mins)

    @overloaded("dimension, min, extent", "rect")
    def crop(self, *args: Any) -> None:
        self._become(self.cropped(*args))

    def sliced(self, dimension: int, pos: int | None = None) -> Buffer:
        """One dimension fewer: the elements at `pos`, by default the first."""
        mins = self.mins()
        place = mins[dimension] if pos is None else pos
        if not mins[dimension] <= place < mins[dimension] + self.extents()[dimension]:
            raise HalideError(f"slice of {self.name()} at {place} in dimension {dimension} lies outside it")
        view = np.moveaxis(self._memory(), dimension, 0)[place - mins[dimension], ...]
        del mins[dimension]
        return self._derived(view, mins)

    def slice(self, dimension: int, pos: int | None = None) -> None:
        self._become(self.sliced(dimension, pos))

    def embedded(self, dimension: int, pos: int = 0) -> Buffer:
        """One dimension more, of extent 1 at `pos`."""
        mins = self.mins()
        mins.insert(dimension, pos)
        return self._derived(np.expand_dims(self._memory(), dimension), mins)

    def embed(self, dimension: int, pos: int = 0) -> None:
        self._become(self.embedded(dimension, pos))

    def add_dimension(self) -> None:
        self.embed(self.dimensions())

    @overloaded("dimension, dx", "delta")
    def translated(self, *args: Any) -> Buffer:
        """translated(dimension, dx), or translated([dx, ...])."""
        out = self._derived(self._memory(), self.mins())
        out.translate(*args)
        return out

    @overloaded("dimension, dx", "delta")
    def translate(self, *args: Any) -> None:
        for d, dx in [(args[0], args[1])] if len(args) == 2 else enumerate(args[0]):
            self._mins[d] += int(dx)

    @overloaded("mins")
    def set_min(self, *mins: Any) -> None:
        """The coordinates of the first element, of the first dimensions."""
        values = list(mins[0]) if len(mins) == 1 and isinstance(mins[0], list | tuple) else list(mins)
        if len(values) > len(self._mins):
            raise HalideError(f"set_min: {self.name()} has {len(self._mins)} dimensions, not {len(values)}")
        self._mins[: len(values)] = [int(v) for v in values]

    @overloaded("d1, d2", "order")
    def transposed(self, *args: Any) -> Buffer:
        """transposed(d1, d2) swaps two dimensions; transposed(order) puts dimension i at place order[i]."""
        order = list(range(self.dimensions()))
        if len(args) == 2:
            a, b = args
            order[a], order[b] = order[b], order[a]
        else:
            given = [int(d) for d in args[0]]
            order = [given.index(d) if d in given else -1 for d in range(len(given))]
        if sorted(order) != list(range(self.dimensions())):
            raise HalideError(f"transposed: {args[0]} is no permutation of the dimensions of {self.name()}")
        return self._derived(self._memory().transpose(order), [self._mins[d] for d in order])

    @overloaded("d1, d2", "order")
    def transpose(self, *args: Any) -> None:
        self._become(self.transposed(*args))

    def reverse_axes(self) -> Buffer:
        """The dimensions in opposite order."""
        return self.transposed(list(reversed(range(self.dimensions()))))

    def copy(self) -> Buffer:
        """New memory with the same contents and order of dimensions."""
        out = Buffer.make_with_shape_of(self)
        out._memory()[...] = self._memory()
        out._shown = self.host_dirty()
        return out

    def copy_from(self, src: Buffer) -> None:
        """Copies what lies inside both."""
        if src.dimensions() != self.dimensions() or src.type() != self.type():
            raise HalideError(
                f"copy_from: {self.name()} is of {self.type()} in {self.dimensions()} dimensions, "
                f"{src.name()} of {src.type()} in {src.dimensions()}"
            )
        low = [max(a, b) for a, b in zip(self._mins, src._mins, strict=True)]
        ends = [
            min(a + n, b + m) for a, n, b, m in zip(self._mins, self.extents(), src._mins, src.extents(), strict=True)
        ]
        if all(e > a for a, e in zip(low, ends, strict=True)):
            box = [(a, e - a) for a, e in zip(low, ends, strict=True)]
            part = self.cropped(box)._memory()
            part[...] = src.cropped(box)._memory()
            self.set_host_dirty()

    def allocate(self) -> None:
        """Memory for a Buffer that has a shape only."""
        order = sorted(range(len(self._mins)), key=lambda d: abs(self.strides()[d]))
        self.view = _allocate(self.type(), self.extents(), order)
        self._describe()

    def deallocate(self) -> None:
        self._device = None
        self._bits = (self.extents(), self.strides())
        self.view = None

    def reshape_query(self, mins: list[int], extents: list[int]) -> None:
        """Gives a Buffer without memory the shape that a bounds query found."""
        strides = [int(np.prod(extents[:k], dtype=np.int64)) for k in range(len(extents))]
        self._mins, self._bits = list(mins), (list(extents), strides)
        self._describe()

    # Memory of devices.
    def device_memory(self) -> DeviceMemory:
        """What a device has of this Buffer."""
        if self._device is None:
            self._device = DeviceMemory(self.type(), self.dimensions(), self._shown)
        self._device.describe(
            None if self.view is None else self.view.ctypes.data,
            list(zip(self._mins, self.extents(), self.strides(), strict=True)),
        )
        return self._device

    def address(self) -> int:
        """Where the first element lies on the host."""
        if self.view is None:
            raise HalideError(f"Buffer {self.name()} has no memory")
        return int(self.view.ctypes.data)

    def has_device_allocation(self) -> bool:
        return self._device is not None and self._device.is_allocated()

    def host_dirty(self) -> bool:
        """Whether the host has changed it since it was copied to a device."""
        return self._shown if self._device is None else self._device.is_dirty(HOST_DIRTY)

    def device_dirty(self) -> bool:
        """Whether a device has changed it since it was copied to the host."""
        return self._device is not None and self._device.is_dirty(DEVICE_DIRTY)

    def set_host_dirty(self, dirty: bool = True) -> None:
        if self._device is None:
            self._shown = dirty
        else:
            self._device.set_dirty(HOST_DIRTY, dirty)

    def set_device_dirty(self, dirty: bool = True) -> None:
        self.device_memory().set_dirty(DEVICE_DIRTY, dirty)

    @overloaded("target?", "device_api, target?")
    def copy_to_device(self, *args: Any) -> int:
        """Copies what the host has changed.  Raises HalideError where there is no device."""
        self.address()
        self.device_memory().to_device()
        return 0

    def copy_to_host(self) -> int:
        """Copies what a device has changed."""
        if self.device_dirty():
            self.device_memory().to_host()
        return 0

    @overloaded("target?", "device_api, target?")
    def device_malloc(self, *args: Any) -> int:
        """Memory on the device, without values.  Raises HalideError where there is no device."""
        self.device_memory().allocate()
        return 0

    def device_sync(self) -> int:
        """Waits until all that was launched is done."""
        if self._device is not None:
            self._device.wait()
        return 0

    def device_free(self) -> int:
        """Gives the device's memory back, with what only it had."""
        if self._device is not None:
            self._device.free()
        return 0

    def device_deallocate(self) -> None:
        self.device_free()

    def device_detach_native(self) -> int:
        """Leaves the device's memory to who allocated it."""
        if self._device is not None:
            self._device.forget()
        return 0

    # Other languages.
    def _get_raw_halide_buffer_t(self) -> int:
        """The address of a halide_buffer_t of this memory, which lives as long as this Buffer."""
        memory = self.device_memory()
        return ctypes.addressof(memory.raw)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return np.array(self.array, dtype, copy=copy)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The memory on the device, as CuPy, PyTorch and Numba show theirs; its last axis is dimension 0.

        What the host has changed is copied first; call `set_device_dirty` after changing it there.
        Raises AttributeError where there is none."""
        if self.view is None or not self.has_device_allocation():
            raise AttributeError(f"Buffer {self.name()} has no memory on a device; copy_to_device makes some")
        memory = self.device_memory()
        memory.to_device()
        view = self.view.T
        return {
            "shape": view.shape,
            "strides": view.strides,
            "typestr": view.dtype.str,
            "data": (int(memory.raw.device), False),
            "version": 3,
            "stream": LEGACY_STREAM,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        """Where the newest values are, as DLPack says it: on the host or on device 0."""
        return (dlpack.CUDA, 0) if self.device_dirty() else (dlpack.CPU, 0)

    def __dlpack__(self, *, stream: Any = None, **more: Any) -> Any:
        """A capsule of the memory where the newest values are; its last axis is dimension 0.

        What is launched on a `stream` later finds them.  Who changes them there says `set_device_dirty`, on the host
        `set_host_dirty`."""
        kind, _ = more.get("dl_device") or self.__dlpack_device__()
        if kind != dlpack.CUDA:
            return self.array.__dlpack__(**more)
        if more.get("copy") or self.view is None:
            raise BufferError(f"Buffer {self.name()} is shown where it is; it cannot be copied")
        memory = self.device_memory()
        memory.to_device()
        if stream not in (None, LEGACY_STREAM, -1):
            memory.wait()
        view = self.view.T
        return dlpack.capsule_of(int(memory.raw.device), view.shape, view.strides, view.dtype, self)

    def __buffer__(self, flags: int) -> memoryview:
        """The memory as memoryview shows it, from Python 3.12 on."""
        return self.array.data

    def __iter__(self) -> Iterator[Any]:
        """The elements of a Buffer of one dimension, by their coordinates from 0 on."""
        if len(self._mins) != 1:
            raise ValueNotTaken(f"Incorrect number of dimensions: {self.name()} has {len(self._mins)}, not 1")
        end = self._mins[0] + self.extents()[0]
        return (self[k] for k in (range(end) if self._mins[0] <= 0 else ()))

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        if not self.defined():
            return "<undefined halide.Buffer>"
        shape = ",".join(f"[{a},{n},{s}]" for a, n, s in zip(self._mins, self.extents(), self.strides(), strict=True))
        return f"<halide.Buffer of type {self.type()} shape:[{shape}]>"

    __repr__ = __str__


def _numbered(rect: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    return [(d, low, extent) for d, (low, extent) in enumerate(rect)]


# Of the memory that Buffers allocate, in bytes, as Halide's: whole vectors then lie within lines of the cache.
_ALIGNMENT = 128


def _allocate(type_: Type, sizes: list[int], order: list[int], zeroed: bool = True) -> np.ndarray[Any, Any]:
    """Memory in which dimension order[0] is innermost, as an array with axis i for dimension i."""
    if sorted(order) != list(range(len(sizes))):
        raise HalideError(f"The storage order {order} is no permutation of {len(sizes)} dimensions")
    if any(n < 0 for n in sizes):
        raise HalideError(f"A Buffer of sizes {sizes}: they must not be negative")
    dtype = np.dtype(dtype_of(type_))
    count = math.prod(sizes)
    raw = (np.zeros if zeroed else np.empty)(count * dtype.itemsize + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    memory = raw[start : start + count * dtype.itemsize].view(dtype).reshape([sizes[d] for d in reversed(order)]).T
    return memory.transpose([order.index(d) for d in range(len(sizes))])
