"""halide_buffer_t, laid out as in HalideRuntime.h: for ctypes, and as offsets for the code that is compiled."""

from __future__ import annotations

import ctypes

# Byte offsets in halide_buffer_t and its size; then those in halide_dimension_t.
DEVICE, INTERFACE, HOST, FLAGS, TYPE, DIMENSIONS, DIM, PADDING, BUFFER_BYTES = 0, 8, 16, 24, 32, 36, 40, 48, 56
MIN, EXTENT, STRIDE, DIM_FLAGS, DIM_BYTES = 0, 4, 8, 12, 16


class RawDimension(ctypes.Structure):
    """halide_dimension_t."""

    _fields_ = (
        ("min", ctypes.c_int32),
        ("extent", ctypes.c_int32),
        ("stride", ctypes.c_int32),
        ("flags", ctypes.c_uint32),
    )


class RawBuffer(ctypes.Structure):
    """halide_buffer_t."""

    _fields_ = (
        ("device", ctypes.c_uint64),
        ("device_interface", ctypes.c_void_p),
        ("host", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("dimensions", ctypes.c_int32),
        ("dim", ctypes.POINTER(RawDimension)),
        ("padding", ctypes.c_void_p),
    )
