"""The emulator alone: what it computes, counts, and stops at."""

from __future__ import annotations

import ctypes
import struct

import numpy as np
import pytest

from halide_core.interp.fused import fused_multiply_add
from tests.gpu.emulator import arithmetic
from tests.gpu.emulator.device import Emulator
from tests.gpu.emulator.memory import DeviceError
from tests.gpu.emulator.text import NotUnderstood

HEAD = ".version 7.1\n.target sm_80\n.address_size 64\n"


def _run(body: str, threads: int, memory: int = 1024, blocks: int = 1, shared: int = 0) -> tuple[np.ndarray, Emulator]:
    """Runs a kernel on `threads` threads; %rd1 is the address of `memory` bytes, %r1 the number of the thread."""
    ptx = f"""{HEAD}
.visible .entry k(.param .u64 k_param_0)
{{
    .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .b32 %f<8>;
    .shared .align 16 .b8 space[256];
    ld.param.u64 %rd1, [k_param_0];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    mov.u64 %rd4, space;
    add.s64 %rd5, %rd4, %rd2;
{body}
}}
"""
    device = Emulator()
    address = device.malloc(memory)
    device.launch(ptx, "k", (blocks, 1, 1), (threads, 1, 1), shared, [struct.pack("<Q", address)])
    out = np.zeros(memory, np.uint8)
    device.copy_to_host(out.ctypes.data_as(ctypes.c_void_p).value or 0, address, memory)
    return out.view(np.uint32), device


STORE = "st.shared.u32 [%rd5], %r1;\n"
NEXT = "xor.b32 %r2, %r1, 1; mul.wide.u32 %rd6, %r2, 4; add.s64 %rd7, %rd4, %rd6; ld.shared.u32 %r3, [%rd7];\n"


def test_a_barrier_makes_writes_known() -> None:
    out, device = _run(STORE + "bar.sync 0;\n" + NEXT + "st.global.u32 [%rd3], %r3; ret;", 64)
    assert list(out[:64]) == [k ^ 1 for k in range(64)]
    counts = device.launches[0].counts
    assert counts.barriers == 1
    assert counts.sectors == 8  # 64 elements of 4 bytes
    assert counts.bank_conflicts == 0


def test_race() -> None:
    with pytest.raises(DeviceError, match=r"race: thread 0 reads byte 4 of shared memory, which thread 1 has written"):
        _run(STORE + NEXT + "ret;", 64)


def test_race_of_a_write_after_a_read() -> None:
    body = STORE + "bar.sync 0;\n" + NEXT + "add.s32 %r4, %r3, 7; st.shared.u32 [%rd5], %r4; ret;"
    with pytest.raises(DeviceError, match="race: thread 0 writes byte 0 of shared memory, which thread 1 has accessed"):
        _run(body, 64)


def test_race_of_two_writes() -> None:
    with pytest.raises(DeviceError, match="race: threads write different values to byte"):
        _run("st.global.u32 [%rd1], %r1; ret;", 4)


def test_race_between_blocks() -> None:
    body = "mov.u32 %r5, %ctaid.x; st.global.u32 [%rd3], %r5; ret;"
    with pytest.raises(DeviceError, match="race: "):
        _run(body, 4, blocks=2)


def test_one_value_from_several_threads_is_no_race() -> None:
    out, _ = _run("mov.u32 %r5, 9; st.global.u32 [%rd1], %r5; ret;", 4)
    assert out[0] == 9


def test_access_outside() -> None:
    with pytest.raises(DeviceError, match=r"access outside: 4 bytes at 0x[0-9a-f]+ are in no allocation; one of 1024"):
        _run("st.global.u32 [%rd3+1020], %r1; ret;", 2)
    with pytest.raises(DeviceError, match="access outside: byte 256 of 256 bytes of shared memory"):
        _run("st.shared.u32 [%rd5+252], %r1; ret;", 2)


def test_a_load_of_several_elements_may_reach_beyond_the_end() -> None:
    """As LLVM's do that begin within: what lies there is anything, and no store may."""
    load = "ld.global.v2.u32 {%r2, %r3}, [%rd1+1016]; st.global.u32 [%rd1], %r2; ret;"
    _run(load, 1, memory=1020)
    with pytest.raises(DeviceError, match="access outside: 1 bytes at"):
        _run(load, 1, memory=1016)
    with pytest.raises(DeviceError, match="access outside: 4 bytes at"):
        _run("st.global.v2.u32 [%rd1+1016], {%r1, %r1}; ret;", 1, memory=1020)


def test_misaligned() -> None:
    with pytest.raises(DeviceError, match="misaligned"):
        _run("st.global.u32 [%rd3+2], %r1; ret;", 2)
    with pytest.raises(DeviceError, match="misaligned"):
        _run("ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd3]; ret;", 2)


def test_a_barrier_that_some_do_not_reach() -> None:
    body = "setp.lt.u32 %p1, %r1, 3; @%p1 bra $END; bar.sync 0; $END: ret;"
    with pytest.raises(DeviceError, match="barrier: 5 of 8 threads of block 0 wait at one, and the others have ended"):
        _run(body, 8)
    body = "setp.lt.u32 %p1, %r1, 3; @%p1 bra $A; bar.sync 0; ret; $A: bar.sync 0; ret;"
    with pytest.raises(DeviceError, match="wait at different ones"):
        _run(body, 8)


def test_a_loop_without_an_end_of_one_thread() -> None:
    """Threads that leave a loop early wait for the others where both go on."""
    body = """
    mov.u32 %r4, 0;
$L:
    add.s32 %r4, %r4, 1;
    setp.lt.u32 %p1, %r4, %r1;
    @%p1 bra $L;
    st.global.u32 [%rd3], %r4; ret;"""
    out, device = _run(body, 40)
    assert list(out[:40]) == [1, *range(1, 40)]
    assert device.launches[0].counts.diverged > 0


def test_bank_conflicts() -> None:
    # 32 threads 8 words apart: four banks, each asked for eight words.
    body = "mul.wide.u32 %rd8, %r1, 8; add.s64 %rd9, %rd4, %rd8; ld.shared.u32 %r4, [%rd9]; ret;"
    _, device = _run(body, 32)
    assert device.launches[0].counts.bank_conflicts == 1


def test_a_text_that_is_not_known() -> None:
    with pytest.raises(NotUnderstood):
        _run("tex.2d.v4.f32.f32 {%f1}, [%rd1]; ret;", 1)


def test_fma_rounds_once() -> None:
    random = np.random.default_rng(3)
    a, b, c = (random.standard_normal(2000).astype(np.float32) for _ in range(3))
    # Sums that cancel, and ones where the second rounding would be of a tie.
    c[:1000] = -(a[:1000] * b[:1000])
    found = fused_multiply_add(a, b, c)
    from fractions import Fraction

    for x, y, z, r in zip(a, b, c, found, strict=True):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        below, above = np.nextafter(r, np.float32(-np.inf)), np.nextafter(r, np.float32(np.inf))
        error = abs(Fraction(float(r)) - exact)
        assert error <= min(abs(Fraction(float(below)) - exact), abs(Fraction(float(above)) - exact))


def test_integers() -> None:
    edges = np.array([0, 1, 2, 7, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345678], np.uint32)
    a, b = (x.ravel() for x in np.meshgrid(edges, edges))
    s = [x.view(np.int32).astype(np.int64) for x in (a, b)]
    high = arithmetic.high(a.view(np.int32), b.view(np.int32), "s32")
    assert list(high) == [(int(x) * int(y)) >> 32 for x, y in zip(*s, strict=True)]
    nonzero = b != 0
    quotient = arithmetic.divide(a.view(np.int32), b.view(np.int32), "s32")
    wanted = [int(abs(int(x)) // abs(int(y))) * (1 if (x < 0) == (y < 0) else -1) for x, y in zip(*s, strict=True) if y]
    assert list(quotient[nonzero].astype(np.int64)) == [((w + (1 << 31)) % (1 << 32)) - (1 << 31) for w in wanted]
    assert list(arithmetic.shift(a, np.full(len(a), 40, np.uint32), "s32", False)[a >> 31 == 1].view(np.int32)) == (
        [-1] * int((a >> 31).sum())
    )


SHUFFLE = "shfl.sync.{} %r4, %r1, {}, {};\n"
END = "st.global.u32 [%rd3], %r4; ret;"


def test_values_of_other_lanes() -> None:
    out, device = _run(SHUFFLE.format("down.b32", 3, "31, -1") + END, 64)
    assert list(out[:32]) == [min(k + 3, 31) if k < 29 else k for k in range(32)]
    assert device.launches[0].counts.instructions["shuffle"] == 64
    out, _ = _run(SHUFFLE.format("up.b32", 1, "0x1c00, -1") + END, 32)
    assert list(out[:8]) == [0, 0, 1, 2, 4, 4, 5, 6]
    out, _ = _run("mov.u32 %r6, 5;\n" + SHUFFLE.format("idx.b32", "%r6", "31, -1") + END, 64)
    assert list(out[:64]) == [5] * 32 + [37] * 32
    out, _ = _run(SHUFFLE.format("bfly.b32", 1, "31, -1") + END, 32)
    assert list(out[:32]) == [k ^ 1 for k in range(32)]


def test_a_shuffle_that_lanes_do_not_come_to() -> None:
    apart = "setp.gt.u32 %p1, %r1, 9; @%p1 bra $end;\n"
    body = apart + SHUFFLE.format("down.b32", 1, "31, -1") + "$end: bar.sync 0;\n" + END
    with pytest.raises(DeviceError, match="shuffle: lane 31 of the mask does not take part"):
        _run(body, 32)
    own = apart + "mov.u32 %r6, 0x3ff;\n" + SHUFFLE.format("down.b32", 1, "31, %r6") + "$end:\n" + END
    with pytest.raises(DeviceError, match="shuffle: lane 10, whose value is asked for, is not there"):
        _run(own, 32)
    with pytest.raises(DeviceError, match="shuffle: lane 1 takes part, and the mask does not name it"):
        _run(SHUFFLE.format("down.b32", 1, "31, 1") + END, 32)
    with pytest.raises(DeviceError, match="whose value is asked for, is not there"):
        _run(SHUFFLE.format("down.b32", 1, "31, -1") + END, 20)


def test_a_shuffle_waits_for_lanes() -> None:
    """Lanes that come to it later, from further down."""
    body = """setp.gt.u32 %p1, %r1, 9; @!%p1 bra $later;
$here: """ + SHUFFLE.format("idx.b32", 3, "31, -1") + END + """
$later: mov.u32 %r1, 7; bra $here;"""
    out, _ = _run(body, 32)
    assert list(out[:32]) == [7] * 32
