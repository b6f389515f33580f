"""The NEON intrinsics of AArch64: what `arm_neon.h` declares, and what each intrinsic computes, lane by lane."""

from lifter.simd.neon.header import text
from lifter.simd.neon.meanings import signatures, table

__all__ = ["signatures", "table", "text"]
