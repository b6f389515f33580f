"""Vector registers as lanes: the meaning of SIMD intrinsics, one expression for each lane."""
