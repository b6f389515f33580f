"""The table of intrinsics against the processor: every one of them, on edge values and random ones."""

from __future__ import annotations

import ctypes
import itertools
import subprocess
import zlib
from pathlib import Path

import numpy as np
import pytest

from halide_core.interp.expr import dtype_of, evaluate
from halide_core.ir.expr import Variable, const
from halide_core.ir.types import Float, Int, UInt
from lifter.simd.declarations import signatures
from lifter.simd.evaluate import apply
from lifter.simd.lane_operations import NotConstant
from lifter.simd.lanes import Lanes
from lifter.simd.meanings import table

pytestmark = pytest.mark.few(5)

CASES = 64
REGISTERS = {
    "__m128i": (16, UInt(8)), "__m128": (16, Float(32)), "__m128d": (16, Float(64)),
    "__m256i": (32, UInt(8)), "__m256": (32, Float(32)), "__m256d": (32, Float(64)), "__m64": (8, UInt(8)),
    "__m512i": (64, UInt(8)), "__m512": (64, Float(32)), "__m512d": (64, Float(64)),
}  # fmt: skip
SCALARS = {
    "int": Int(32), "long long": Int(64), "char": Int(8), "short": Int(16), "unsigned int": UInt(32),
    "float": Float(32), "double": Float(64), "__mmask8": UInt(8), "__mmask16": UInt(16), "__mmask32": UInt(32),
    "__mmask64": UInt(64),
}  # fmt: skip
CONTROLS = {
    "shuffle_epi8": 1, "permutevar8x32_epi32": 1, "permutevar8x32_ps": 1,
    **{f"permutexvar_epi{bits}": 0 for bits in (16, 32, 64)}, **{f"permutex2var_epi{bits}": 1 for bits in (16, 32, 64)},
}  # fmt: skip
UNDEFINED_ABOVE = {
    "castsi128_si256": 16, "castps128_ps256": 16, "castpd128_pd256": 16, "castsi128_si512": 16, "castsi256_si512": 32,
    "castps256_ps512": 32, "castpd256_pd512": 32,
}  # fmt: skip
WIDE = {"avx512f", "avx512bw", "avx512dq"}
SAMPLES = (0, 1, 2, 3, 5, 7, 8, 11, 15, 16, 27, 31, 33, 63, 64, 0x4E, 0xB1, 0xE4, 0xD8, 0x31, 0xF7, 0xFF)


def immediates(name):
    """The constants to try as the last operand."""
    if name.startswith("_mm512_") and ("extract" in name or "insert" in name):
        return range(2 if "x8" in name or "64x4" in name else 4)
    if "extract" in name or "insert" in name:
        lanes = {"8": 16, "16": 8, "32": 4, "64": 2, "ps": 4}.get(name.rpartition("_")[2].lstrip("epi"), 2)
        return range(2 if "128" in name else lanes * (2 if "256" in name else 1))
    if "round_" in name:
        return (0, 1, 2, 3, 4, 8, 9, 10, 11)
    if "cmp_ep" in name:
        return range(8)
    if "cmp_" in name:
        return range(32)
    if name in ("_mm_shuffle_pd", "_mm_permute_pd", "_mm_blend_pd"):
        return range(4)
    if "256_" in name and name.endswith(("shuffle_pd", "permute_pd", "blend_pd")):
        return range(16)
    if name.endswith("_blend_ps"):
        return range(256 if "256" in name else 16)
    if name == "_mm_blend_epi32":
        return range(16)
    if "mpsadbw" in name:
        return range(8)
    return SAMPLES


def width(kind):
    """Bytes of an operand as the test passes it."""
    kind = kind.removesuffix(" const").removesuffix("*").strip().removesuffix(" const")
    return REGISTERS[kind][0] if kind in REGISTERS else SCALARS[kind].bytes()


def variants(name):
    """(number, immediate or None) of each C function made for an intrinsic."""
    return [(i, imm) for i, imm in enumerate(immediates(name) if table()[name].immediates else (None,))]


def _is_pointer(kind):
    return kind.endswith("*")


def _uses(name):
    """The operands that are not immediates, and how many bytes each takes."""
    meaning = table()[name]
    operands = signatures()[name][1]
    operands = operands[: len(operands) - meaning.immediates]
    if meaning.writes:
        operands = operands[1:]
    return [(k, meaning.reads if _is_pointer(k) else width(k)) for k in operands]


def _result_bytes(name):
    return table()[name].writes or width(signatures()[name][0])


def source(wide):
    """One C++ file, with registers of 512 bits if the processor has them, of a function for each intrinsic and
    immediate: void f(unsigned char* out, operands..., n)."""
    lines = ["#include <immintrin.h>", "#include <string.h>", "#include <xmmintrin.h>"]
    for name in sorted(n for n in table() if wide or not n.startswith("_mm512_")):
        meaning, (result, _) = table()[name], signatures()[name]
        used = _uses(name)
        for number, imm in variants(name):
            parameters = "".join(f", const unsigned char* p{i}" for i in range(len(used)))
            lines.append(f'extern "C" void t{number}{name}(unsigned char* out{parameters}, int n) {{')
            lines.append("for (int k = 0; k < n; k++) {")
            arguments = []
            for i, (kind, size) in enumerate(used):
                if _is_pointer(kind):
                    lines.append(f"alignas(64) unsigned char a{i}[64]; memcpy(a{i}, p{i} + k * {size}, {size});")
                    arguments.append(f"({kind})a{i}")
                else:
                    lines.append(f"{kind} a{i}; memcpy(&a{i}, p{i} + k * {size}, {size});")
                    arguments.append(f"a{i}")
            if imm is not None:
                arguments.append(str(imm))
            size = _result_bytes(name)
            if meaning.writes:
                target = signatures()[name][1][0]
                lines.append(f"alignas(64) unsigned char r[64]; {name}(({target})r, {', '.join(arguments)});")
                lines.append(f"memcpy(out + k * {size}, r, {size}); }} }}")
            else:
                lines.append(f"{result} r = {name}({', '.join(arguments)}); ")
                lines.append(f"memcpy(out + k * {size}, &r, {size}); }} }}")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    flags = set(Path("/proc/cpuinfo").read_text().split())
    if not {"avx2", "fma", "sse4_2"} <= flags:
        pytest.skip("the processor lacks AVX2 or FMA")
    folder = tmp_path_factory.mktemp("intrinsics")
    (folder / "all.cpp").write_text(source(flags >= WIDE))
    wanted = ["-mavx2", "-mfma", *(f"-m{f}" for f in sorted(WIDE) if flags >= WIDE)]
    command = ["g++", "-O1", "-w", "-fpermissive", *wanted, "-shared", "-fPIC", "all.cpp", "-o", "all.so"]
    subprocess.run(command, check=True, cwd=folder)
    return ctypes.CDLL(str(folder / "all.so"))


def edges(t, rng):
    """One lane's values: edges, then random ones."""
    if t.is_float():
        special = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 255.0, 256.5, -32769.0, 65536.0, 3e9, -3e9, 1e-40,
                   np.inf, -np.inf, np.nan]  # fmt: skip
        values = np.concatenate([special, rng.normal(0, 300, CASES)])
    else:
        low, high = t.min(), t.max()
        values = np.array([0, low, high, 1, high - 1, high // 2, low // 2, -1 & high, *rng.integers(low, high, CASES)])
    return values


def inputs(kind, size, rng):
    """`size` bytes for each of the cases: all lanes at one edge value at 8 and 16 bits, then lanes of their own."""
    t = REGISTERS.get(kind.removesuffix("*").removesuffix(" const"), (0, SCALARS.get(kind)))[1]
    if t is None or not t.is_float():
        data = rng.integers(0, 256, (CASES, size), dtype=np.uint8)
        for row, byte in enumerate((0, 255, 128, 127, 1)):
            data[row] = byte
        wide = np.array([0x8000, 0x7FFF, 0xFF00, 1, 0xFFFF], dtype="<u2").view(np.uint8).reshape(-1, 2)
        for row, pair in enumerate(wide):
            if size % 2 == 0:
                data[5 + row] = np.tile(pair, size // 2)
        for row in range(10, 20):
            data[row] = rng.choice([0, 1, 127, 128, 255], size)
        # Counts of shifts that make sense.
        data[20:30] = 0
        data[20:30, 0] = rng.integers(0, 70, 10)
        return data
    lanes = max(1, size // t.bytes())
    values = rng.choice(edges(t, rng), (CASES, lanes))
    for row, v in enumerate((0.0, -0.0, 1.0, np.nan)):
        values[row] = v
    return np.ascontiguousarray(values.astype(dtype_of(t))).view(np.uint8).reshape(CASES, size)


def lanes_of(kind, size):
    """How a test passes an operand: lanes of the register's own type, or a scalar."""
    base = kind.removesuffix("*").removesuffix(" const").strip()
    if base in REGISTERS:
        t = REGISTERS[base][1]
    elif _is_pointer(kind):
        t = {"float": Float(32), "double": Float(64)}.get(base, UInt(8))
    else:
        return SCALARS[kind], 0
    return t, size // t.bytes()


@pytest.mark.parametrize("name", sorted(table()))
def test_table_agrees_with_processor(name, compiled):
    if name.startswith("_mm512_") and not set(Path("/proc/cpuinfo").read_text().split()) >= WIDE:
        pytest.skip("the processor lacks AVX-512")
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    meaning, (result, _) = table()[name], signatures()[name]
    used = _uses(name)
    data = [inputs(kind, size, rng) for kind, size in used]
    control = CONTROLS.get(name.partition("_")[2].partition("_")[2].removeprefix("256_"))
    size = _result_bytes(name)
    for number, imm in variants(name):
        out = np.zeros((CASES, size), dtype=np.uint8)
        getattr(compiled, f"t{number}{name}")(
            out.ctypes.data_as(ctypes.c_void_p), *(d.ctypes.data_as(ctypes.c_void_p) for d in data), CASES
        )
        # A control that must be constant is another one in each case.
        groups = [slice(None)] if control is None else [slice(k, k + 1) for k in range(CASES)]
        for group in groups:
            env, operands = {}, []
            for position, (kind, bytes_each) in enumerate(used):
                rows = data[position][group]
                t, count = lanes_of(kind, bytes_each)
                columns = np.ascontiguousarray(rows).view(dtype_of(t))
                if position == control:
                    operands.append(Lanes(tuple(const(int(v), t) for v in columns[0])))
                    continue
                names = [f"p{position}_{k}" for k in range(max(count, 1))]
                env.update({n: columns[:, k] for k, n in enumerate(names)})
                variables = tuple(Variable(t, n) for n in names)
                operands.append(Lanes(variables) if count else variables[0])
            if imm is not None:
                operands.append(imm)
            is_register = bool(meaning.writes) or result in REGISTERS
            value = apply(meaning, operands, 8 * size if is_register else 0)
            parts = value.parts if isinstance(value, Lanes) else (value,)
            rows = len(out[group])
            found = [np.broadcast_to(evaluate(e, env, call=libm), (rows,)).astype(dtype_of(e.type)) for e in parts]
            got = np.stack(found, axis=-1).copy().view(np.uint8).reshape(rows, -1)
            wanted = out[group]
            defined = UNDEFINED_ABOVE.get(name.split("_", 2)[2], size)
            got, wanted = got[:, :defined], wanted[:, :defined]
            if "undefined" not in name:
                check(name, imm, got, wanted, parts[0].type)


COUNTED = sorted(n for n, m in table().items() if m.counts and m.masked is None)


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """Shifts by counts that are variables: void f(out, operands, counts, n)."""
    flags = set(Path("/proc/cpuinfo").read_text().split())
    if "avx2" not in flags:
        pytest.skip("the processor lacks AVX2")
    folder = tmp_path_factory.mktemp("counted")
    lines = ["#include <immintrin.h>", "#include <string.h>"]
    for name in COUNTED:
        if flags >= WIDE or not name.startswith("_mm512_"):
            t = signatures()[name][0]
            lines.append(f'extern "C" void c{name}(char *out, const char *p, const int *by, int n) {{')
            lines.append(f"for (int k = 0; k < n; k++) {{ {t} a; memcpy(&a, p + k * sizeof a, sizeof a);")
            lines.append(f"{t} r = {name}(a, by[k]); memcpy(out + k * sizeof r, &r, sizeof r); }} }}")
    (folder / "all.cpp").write_text("\n".join(lines))
    wanted = ["-mavx2", *(f"-m{f}" for f in sorted(WIDE) if flags >= WIDE)]
    command = ["g++", "-O1", "-w", "-fpermissive", *wanted, "-shared", "-fPIC", "all.cpp", "-o", "all.so"]
    subprocess.run(command, check=True, cwd=folder)
    return ctypes.CDLL(str(folder / "all.so"))


@pytest.mark.parametrize("name", COUNTED)
def test_shifts_by_variables(name, counted):
    if not hasattr(counted, f"c{name}"):
        pytest.skip("the processor lacks AVX-512")
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    size = width(signatures()[name][0])
    data, by = inputs("__m128i", size, rng), np.arange(CASES, dtype=np.int32)
    by[CASES // 2 :] = rng.integers(0, 256, CASES - CASES // 2)
    out = np.zeros((CASES, size), np.uint8)
    pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (out, data, by)]
    getattr(counted, f"c{name}")(*pointers, CASES)
    names = [f"p{k}" for k in range(size)]
    env = {n: data[:, k] for k, n in enumerate(names)} | {"by": by}
    value = apply(table()[name], [Lanes(tuple(Variable(UInt(8), n) for n in names)), Variable(Int(32), "by")], 8 * size)
    found = [evaluate(e, env, call=libm).astype(dtype_of(e.type)) for e in value.parts]
    check(name, None, np.stack(found, axis=-1).copy().view(np.uint8).reshape(CASES, -1), out, value.parts[0].type)


def libm(call, arguments):
    """The C library's function that a call names."""
    kind = ctypes.c_float if call.type.bits == 32 else ctypes.c_double
    function = getattr(ctypes.CDLL("libm.so.6"), call.name)
    function.restype, function.argtypes = kind, [kind] * len(arguments)
    columns = (a.tolist() for a in np.broadcast_arrays(*arguments))
    return np.array([function(*values) for values in zip(*columns, strict=True)], dtype=dtype_of(call.type))


def check(name, imm, got, wanted, t):
    assert got.shape == wanted.shape, (name, got.shape, wanted.shape)
    if t.is_float():
        a, b = (np.ascontiguousarray(x).view(dtype_of(t)) for x in (got, wanted))
        # Which NaN comes out is not told apart.
        same = (a.view(f"u{t.bytes()}") == b.view(f"u{t.bytes()}")) | (np.isnan(a) & np.isnan(b))
        assert same.all(), (name, imm, a[~same][:4], b[~same][:4])
    else:
        different = np.nonzero((got != wanted).any(axis=1))[0]
        assert not len(different), (name, imm, different[0], got[different[0]].tolist(), wanted[different[0]].tolist())


def test_every_intrinsic_of_the_table_is_declared():
    assert set(table()) <= set(signatures())
    assert len(table()) > 500


def test_shuffle_by_data_is_refused():
    a, b = (Lanes(tuple(Variable(UInt(8), f"{n}{i}") for i in range(16))) for n in "ab")
    with pytest.raises(NotConstant):
        apply(table()["_mm_shuffle_epi8"], [a, b], 128)


def test_immediates_stay_in_range():
    assert all(list(itertools.islice(immediates(n), 1)) for n in table() if table()[n].immediates)
