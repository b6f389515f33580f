"""`make device-model`: measures what `codegen/device_model.toml` says, on a machine with a device."""

from __future__ import annotations

import sys
import tempfile
from datetime import date
from pathlib import Path

import halide_core as hl
from codegen.device_model import PATH
from codegen.device_timing import FEW, MANY, DeviceFailure, measured, model_text
from codegen.original import run_tool, system_compiler
from halide_core.aot.compile import Module, compile_pipeline
from halide_core.errors import HalideError
from halide_core.gpu.driver import driver
from halide_core.target import Target
from lifter.support.files import write_whole

_U32 = hl.UInt(32)


def build(folder: Path, target: Target) -> Path:
    """Makes the library that `device_timing.measured` takes, for a target with a device."""
    module = Module(target)
    for on_device in (True, False):
        for name, operations in (("few", FEW), ("many", MANY)):
            side = "device" if on_device else "host"
            f, source = _pipeline(operations, on_device)
            compile_pipeline(hl.Pipeline([f]), [source], f"{side}_{name}", target, module)
    path = folder / "measure.o"
    module.write_object(path)
    made = folder / "libmeasure.so"
    run_tool([system_compiler(), "-shared", "-o", str(made), str(path), "-ldl", "-lpthread", "-lm"])
    path.unlink()
    return made


def _pipeline(operations: int, on_device: bool) -> tuple[hl.Func, hl.ImageParam]:
    """f[x] = so many operations on g[x], on the device or on all threads of the host."""
    x, block, xi = hl.Var("x"), hl.Var("block"), hl.Var("xi")
    source = hl.ImageParam(_U32, 1, "g")
    f = hl.Func("f")
    value = source[x]
    for k in range(operations // 2):
        value = value * value + hl.u32(k)  # squares, for products by constants would be one product
    f[x] = value if operations > 1 else value + hl.u32(1)
    if on_device:
        f.gpu_tile(x, block, xi, 256, hl.TailStrategy.GuardWithIf)
    else:
        f.split(x, block, xi, 4096, hl.TailStrategy.GuardWithIf).parallel(block).vectorize(xi, 8)
    return f, source


def main() -> int:
    """Writes the model anew; the exit status is 1 where there is no device."""
    try:
        about = driver().about()
        with tempfile.TemporaryDirectory(prefix="lift-") as folder:
            tables = measured(build(Path(folder), Target("host-cuda")))
    except (HalideError, DeviceFailure) as problem:
        print(f"nothing was measured: {problem}", file=sys.stderr)
        return 1
    words = f"measured on {about['device']}, CUDA {about['cuda']}, {date.today()}"
    write_whole(PATH, model_text(words, tables))
    print(f"{PATH}: {words}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
