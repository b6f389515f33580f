"""The run time of compiled programs with kernels, as LLVM IR over CUDA's driver: Halide's functions for devices.

The driver is loaded when it is first needed, so that a program is linked and starts without it."""

from __future__ import annotations

from halide_core.runtime.cuda.buffer_copy import BUFFER_COPY
from halide_core.runtime.cuda.buffers import BUFFERS
from halide_core.runtime.cuda.choice import choice
from halide_core.runtime.cuda.copies import COPIES
from halide_core.runtime.cuda.driver import DRIVER
from halide_core.runtime.cuda.kernels import KERNELS
from halide_core.runtime.cuda.memory import BLOCKS

_RUNTIME = DRIVER + BLOCKS + COPIES + BUFFERS + BUFFER_COPY + KERNELS


def runtime(arch: str, shown: bool, chooses: bool) -> str:
    """The run time for "x86" or "arm".  Unless `shown`, it is the linked program's or library's own.  `chooses`: with
    what decides between device and host."""
    text = _RUNTIME + (choice(arch) if chooses else "")
    return text if shown else text.replace("define weak ", "define weak hidden ")


# What code with kernels calls, where these are functions of the process that it is loaded into.
ELSEWHERE = """
declare i32 @halide_cuda_initialize_kernels(ptr, ptr, ptr, i32) nounwind
declare i32 @halide_cuda_run(ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, i32, ptr, ptr, ptr) nounwind
declare i32 @halide_copy_to_device(ptr, ptr, ptr) nounwind
declare i32 @halide_copy_to_host(ptr, ptr) nounwind
declare i32 @halide_device_free(ptr, ptr) nounwind
"""
