"""Which arrays go into the kernels' module, and where to."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import halide_core as hc
from halide_core.backend.ptx import to_ptx
from halide_core.gpu.kernel import Kernel
from halide_core.lower import lower
from tests.gpu.emulator.device import Emulator
from tests.gpu.emulator.memory import DeviceError
from tests.gpu.test_ptxas import assembler, resources

x, y, xi, yi = (hc.Var(n) for n in ("x", "y", "xi", "yi"))


def _kernels(make: object, **contents: np.ndarray) -> tuple[Kernel, ...]:
    """The kernels of what `make` makes of images with these contents and one that is the caller's."""
    images = {n: hc.ImageParam(hc.Buffer(a).type(), a.ndim, n) for n, a in contents.items()}
    source = hc.ImageParam(hc.UInt(8), 2, "source")
    f = hc.Func("f")
    f[x, y] = make(source[x, y], **images)  # type: ignore[operator]
    f.gpu_tile(x, y, xi, yi, 16, 4)
    known = {n: a.tobytes() for n, a in contents.items()}
    return lower([f._function], hc.Target("x86-64-linux-sse41-cuda"), contents=known).kernels


def _places(kernels: tuple[Kernel, ...]) -> dict[str, bool]:
    return {t.name: t.constant for k in kernels for t in k.tables}


def test_what_threads_read_together_is_constant() -> None:
    r = hc.RDom([(0, 50)], "r")
    found = _kernels(
        lambda v, by_row, by_thread, by_value, summed: (
            by_row[y / 4] + by_thread[x] + by_value[v] + hc.sum(summed[r] * hc.i32(v + r))
        ),
        by_row=np.arange(64, dtype=np.int32), by_thread=np.arange(64, dtype=np.int32),
        by_value=np.arange(256, dtype=np.int32), summed=np.arange(50, dtype=np.int32),
    )  # fmt: skip
    # A block may begin at any row, so that threads may lie on both sides of a quotient.
    assert _places(found) == {"by_row": False, "by_thread": False, "by_value": False, "summed": True}
    assert {n for k in found for n, _ in k.arrays} == {"f", "source"}


def test_constant_memory_has_an_end() -> None:
    """What does not fit is in global memory, and what is too large for the text is given as any array."""
    r = hc.RDom([(0, 50)], "r")
    found = _kernels(
        lambda v, first, second, large: hc.sum(first[r] + second[r] + large[r]) + v,
        first=np.arange(9000, dtype=np.int32), second=np.arange(9000, dtype=np.int32),
        large=np.arange(20000, dtype=np.int32),
    )  # fmt: skip
    assert sorted(_places(found).values()) == [False, True]
    assert {n for k in found for n, _ in k.arrays} == {"f", "source", "large"}


def test_kernels_share_a_table_and_assemble(tmp_path: Path) -> None:
    r = hc.RDom([(0, 50)], "r")
    weights, curve = hc.ImageParam(hc.Float(32), 1, "weights"), hc.ImageParam(hc.UInt(8), 1, "curve")
    source = hc.ImageParam(hc.UInt(8), 2, "source")
    first, last = hc.Func("first"), hc.Func("last")
    first[x, y] = hc.sum(weights[r] * hc.f32(curve[source[x + r, y]]))
    last[x, y] = first[x, y] + hc.sum(weights[r] * first[x, y + r])
    for f in (first, last):
        f.compute_root().gpu_tile(x, y, xi, yi, 16, 4)
    known = {"weights": np.arange(50, dtype=np.float32).tobytes(), "curve": bytes(range(256))}
    ptx = to_ptx(lower([last._function], hc.Target("x86-64-linux-sse41-cuda"), contents=known).kernels, 80)
    declared = re.findall(r"^\.(const|global) \.align 16 \.b8 (constant|table)_(\w+?)_[0-9a-f]{8}\[(\d+)\]", ptx, re.M)
    assert sorted(declared) == [("const", "constant", "weights", "200"), ("global", "table", "curve", "256")]
    assert "ld.const.b32" in ptx
    path = assembler()
    if path is not None:
        assert not any(r["spills"] for r in resources(path, ptx, 80, tmp_path).values())


_STORE = """
.version 7.1
.target sm_80
.address_size 64
.const .align 4 .b8 table[4] = {1, 2, 3, 4};
.visible .entry k() {
    .reg .b64 %rd<2>;
    mov.b64 %rd1, table;
    OPERATION
    ret;
}
"""


@pytest.mark.parametrize(
    ("operation", "message"),
    [("st.const.b32 [%rd1], 7;", "a store to constant memory"), ("st.global.b32 [%rd1], 7;", "access outside")],
)
def test_the_emulator_keeps_constants_apart(operation: str, message: str) -> None:
    with pytest.raises(DeviceError, match=message):
        Emulator().launch(_STORE.replace("OPERATION", operation), "k", (1, 1, 1), (1, 1, 1), 0, [])
