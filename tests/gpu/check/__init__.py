"""Whether kernels do on a device what they do under the emulator, and how fast they are there.

`record` runs pipelines here and keeps what their host code asks of a device; `replay` asks a device the same, with
NumPy, ctypes and CUDA's driver alone, so that the machine that has it needs nothing else."""
