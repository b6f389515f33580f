"""What a device has of a Buffer, from run to run: Halide's halide_buffer_t with its rules of lazy copies.

Host and device each have a mark, dirty, that its values are newer than the other's.  A run copies to the device what
kernels read and the host changed, and marks as the device's what kernels wrote; nothing comes back to the host until it
is asked for.  So who changes an array of NumPy's that a Buffer shows must say `set_host_dirty`."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence

from halide_core.errors import HalideError
from halide_core.gpu import runtime
from halide_core.gpu.runtime import DEVICE_DIRTY, HOST_DIRTY, DeviceRuntime
from halide_core.ir.types import Type
from halide_core.raw_buffer import RawBuffer, RawDimension


class DeviceMemory:
    """The halide_buffer_t of one Buffer; it frees what it has of a device when it goes."""

    def __init__(self, type_: Type, dimensions: int, dirty: bool) -> None:
        self._dims = (RawDimension * max(1, dimensions))()
        flags = HOST_DIRTY if dirty else 0
        self.raw = RawBuffer(0, None, None, flags, int(type_.code), int(type_.bits), 1, dimensions, self._dims, None)
        # The device that the memory is of; nothing where it is not ours to free.
        self._owner: list[DeviceRuntime] = []
        self._device: DeviceRuntime | None = None
        # When the process ends the driver may be gone already.
        weakref.finalize(self, _free, self.raw, self._owner).atexit = False

    def describe(self, host: int | None, shape: Sequence[tuple[int, int, int]]) -> int:
        """Sets where the host's memory is, and min, extent and stride of each dimension; the address."""
        self.raw.host = host
        for d, values in enumerate(shape):
            self._dims[d] = RawDimension(*values, 0)
        return ctypes.addressof(self.raw)

    def adopt(self, address: int, device: DeviceRuntime) -> None:
        """Memory of somebody else's, whose values are the newest."""
        self.raw.device, self.raw.flags = address, DEVICE_DIRTY
        self._device = device

    def ready(self) -> int:
        """The address of the halide_buffer_t, for code that runs on the present device."""
        present = runtime.current()
        if self._device is not None and self._device is not present:
            self.to_host()
            self.free()
        self._device = present
        if not self.raw.device:
            self._owner[:] = [present]
            self.raw.flags |= HOST_DIRTY
        return ctypes.addressof(self.raw)

    def after_failure(self) -> None:
        """What a run that failed did not write the host has."""
        if not self.raw.flags & DEVICE_DIRTY:
            self.raw.flags |= HOST_DIRTY

    def is_dirty(self, side: int) -> bool:
        """side: HOST_DIRTY or DEVICE_DIRTY."""
        return bool(self.raw.flags & side)

    def set_dirty(self, side: int, dirty: bool) -> None:
        self.raw.flags = self.raw.flags | side if dirty else self.raw.flags & ~side

    def is_allocated(self) -> bool:
        return bool(self.raw.device)

    def allocate(self) -> None:
        """Memory on the present device, where there is none."""
        self.ready()
        runtime.allocate(self.raw)

    def to_device(self) -> None:
        """Copies what the host changed.  Raises HalideError where both have changed it."""
        self.ready()
        runtime.to_device(self.raw)

    def to_host(self) -> None:
        """Copies what the device changed, once its kernels are done."""
        if not self.is_dirty(DEVICE_DIRTY):
            return
        if self._device is None or not self.raw.device:
            raise HalideError("A buffer is marked as changed on a device that has no memory of it")
        if self.is_dirty(HOST_DIRTY):
            raise HalideError("Host and device have both changed a buffer")
        runtime.to_host(self.raw, self._device)

    def wait(self) -> None:
        """Until all that was launched is done."""
        if self._device is not None:
            self._device.synchronize()

    def free(self) -> None:
        """Gives the device's memory back, with what only it had."""
        _free(self.raw, self._owner)
        self.forget()

    def forget(self) -> None:
        """Leaves the device's memory to somebody else."""
        self.raw.device = 0
        self.set_dirty(DEVICE_DIRTY, False)
        self._owner.clear()
        self._device = None


def _free(raw: RawBuffer, owner: list[DeviceRuntime]) -> None:
    if raw.device and owner:
        owner[0].free(raw.device)
    raw.device = 0

