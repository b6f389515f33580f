"""What every device of CUDA allows (CUDA C++ Programming Guide, technical specifications)."""

MOST_THREADS = 1024
"""Threads of a block."""
CONSTANT_BYTES = 64 << 10
"""Bytes of constant memory that the kernels of a module may declare."""
STATIC_SHARED = 48 << 10
"""Bytes of shared memory that a kernel may declare of itself; more is asked for when it is launched."""
