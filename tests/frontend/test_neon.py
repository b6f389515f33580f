"""The table of NEON intrinsics against GCC's and an AArch64 processor, emulated: every one of them, on edge values and
random ones.  Needs what `make arm-tools` installs."""

from __future__ import annotations

import re
import shutil
import subprocess
import zlib

import numpy as np
import pytest

from halide_core.interp.expr import dtype_of, evaluate
from halide_core.ir.expr import Variable, const
from halide_core.ir.types import Float, Int, UInt
from lifter.simd.evaluate import apply
from lifter.simd.lane_operations import NotConstant
from lifter.simd.lanes import Lanes
from lifter.simd.neon import signatures, table
from tests.frontend.test_intrinsics import CASES, check, edges, libm

pytestmark = pytest.mark.few(5)

GCC, QEMU = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("qemu-aarch64")
needs_arm = pytest.mark.skipif(GCC is None or QEMU is None, reason="no cross compiler or no emulator; make arm-tools")

_KINDS = {"int": Int, "uint": UInt, "float": Float}
_VECTOR = re.compile(r"(int|uint|float)(\d+)x(\d+)_t")
_SCALAR = re.compile(r"(int|uint|float)(\d+)_t")


def shape(kind):
    """(type, lanes) of a C type; of a scalar 0 lanes."""
    found = _VECTOR.fullmatch(kind)
    if found:
        return _KINDS[found.group(1)](int(found.group(2))), int(found.group(3))
    found = _SCALAR.match(kind)
    return (_KINDS[found.group(1)](int(found.group(2))), 0) if found else (Int(32), 0)


def operands(name):
    """(type, lanes) of each operand that is not an immediate: of a pointer, what is read there."""
    meaning, kinds = table()[name], signatures()[name][1]
    kinds = kinds[: len(kinds) - meaning.immediates]
    out = []
    for kind in kinds[1:] if meaning.writes else kinds:
        t, lanes = shape(kind)
        out.append((t, meaning.reads // t.bytes() if kind.endswith("*") else lanes))
    return out


def result(name):
    """(type, lanes) of the result, or of what is stored."""
    meaning, (kind, kinds) = table()[name], signatures()[name]
    if not meaning.writes:
        return shape(kind)
    t, _ = shape(kinds[0])
    return t, meaning.writes // t.bytes()


def size(t, lanes):
    return t.bytes() * max(lanes, 1)


def immediates(name):
    """The constants to try."""
    if not table()[name].immediates:
        return (None,)
    kind, kinds = signatures()[name]
    t, lanes = shape(kinds[-2])
    if "_lane" in name or "vext" in name:
        return range(lanes)
    if "vshl" in name or "vsli" in name or "vqshl" in name:
        return sorted({0, 1, t.bits // 2 - 1, t.bits // 2, t.bits - 1})
    most = t.bits // 2 if shape(kind)[0].bits < t.bits else t.bits
    return sorted({1, 2, 3, most // 2, most - 1, most})


def called(name, arguments):
    """The C expression for a call; what the header writes others with stands for a part of those."""
    found = re.fullmatch(r"lift_ld(\d)_(\d)(q?)_(\w+)", name)
    if found:
        n, part, q, t = found.groups()
        return f"vld{n}{q}_{t}({arguments[0]}).val[{part}]"
    found = re.fullmatch(r"lift_(st|qtbl|tbl)(\d)(q?)_(\w+)", name)
    if found:
        stem, n, q, t = found.groups()
        first = 1 if stem == "st" else 0
        kind = signatures()[name][1][first].replace("_t", f"x{n}_t")
        held = f"({kind}){{{{{', '.join(arguments[first : first + int(n)])}}}}}"
        return f"v{stem}{n}{q}_{t}({', '.join([*arguments[:first], held, *arguments[first + int(n) :]])})"
    return f"{name}({', '.join(arguments)})"


def source(names):
    """A C program: each intrinsic on each case, from a file of operands to a file of results."""
    lines = ["#include <arm_neon.h>", "#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>"]
    calls = []
    for number, name in enumerate(names):
        meaning, kinds = table()[name], signatures()[name][1]
        for k, imm in enumerate(immediates(name)):
            function = f"t{number}_{k}"
            lines.append(f"__attribute__((noinline)) void {function}(const unsigned char *in, unsigned char *out) {{")
            lines.append(f"for (int k = 0; k < {CASES}; k++) {{")
            arguments, offset = [], 0
            given = kinds[: len(kinds) - meaning.immediates]
            for i, (kind, (t, lanes)) in enumerate(zip(given[1:] if meaning.writes else given, operands(name),
                                                       strict=True)):  # fmt: skip
                each = size(t, lanes)
                declared = f"unsigned char a{i}[{each}]" if kind.endswith("*") else f"{kind} a{i}"
                lines.append(f"{declared}; memcpy(&a{i}, in + {offset} + k * {each}, {each});")
                arguments.append(f"({kind})a{i}" if kind.endswith("*") else f"a{i}")
                offset += CASES * each
            if imm is not None:
                arguments.append(str(imm))
            bytes_out = size(*result(name))
            if meaning.writes:
                lines.append(f"unsigned char r[64]; {called(name, [f'({kinds[0]})r', *arguments])};")
            else:
                lines.append(f"{signatures()[name][0]} r = {called(name, arguments)};")
            lines.append(f"memcpy(out + k * {bytes_out}, &r, {bytes_out}); }} }}")
            calls.append(f"{function}(in, out); out += {CASES * bytes_out};")
        calls.append(f"in += {sum(CASES * size(*o) for o in operands(name))};")
    lines.append("int main(int n, char **a) { FILE *f = fopen(a[1], \"rb\"); long m = atol(a[3]), w = atol(a[4]);")
    lines.append("unsigned char *in = malloc(m), *out = malloc(w), *all = out;")
    lines.append("if (!f || (m && fread(in, m, 1, f) != 1)) return 2;")
    lines += calls
    lines.append("f = fopen(a[2], \"wb\"); if (!f || fwrite(all, w, 1, f) != 1) return 3; return fclose(f); }")
    return "\n".join(lines) + "\n"


def data(name):
    """The operands' values: for each an array of (cases, lanes)."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    out = []
    for t, lanes in operands(name):
        count = max(lanes, 1)
        values = rng.choice(edges(t, rng), (CASES, count)) if t.is_float() else None
        if values is None:
            values = rng.integers(0, 256, (CASES, count * t.bytes()), dtype=np.uint8).view(f"u{t.bytes()}").copy()
            special = np.array([0, t.max(), t.min(), 1, t.max() - 1, -1], dtype=object) % (1 << t.bits)
            for row, v in enumerate(special):
                values[row] = int(v)
            for row in range(6, 16):
                values[row] = rng.choice(special.astype(values.dtype), count)
            for row in range(16, 32):  # counts of shifts and numbers of bytes that make sense
                values[row] = rng.integers(-40, 40, count).astype(values.dtype)
        else:
            for row, v in enumerate((0.0, -0.0, 1.0, np.nan)):
                values[row] = v
        out.append(np.ascontiguousarray(values.astype(dtype_of(t)) if t.is_float() else values.view(dtype_of(t))))
    return out


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """What the processor gives for each intrinsic and immediate."""
    folder = tmp_path_factory.mktemp("neon")
    names = sorted(table())
    (folder / "all.c").write_text(source(names))
    subprocess.run([GCC, "-static", "-O0", "-w", "-march=armv8.2-a+dotprod", "all.c", "-o", "all",
                    "-lm"], check=True, cwd=folder)  # fmt: skip
    given = b"".join(v.tobytes() for n in names for v in data(n))
    (folder / "in").write_bytes(given)
    wanted = sum(CASES * size(*result(n)) * len(immediates(n)) for n in names)
    subprocess.run([QEMU, "-cpu", "max", "./all", "in", "out", str(len(given)), str(wanted)], check=True, cwd=folder)
    raw, start, out = (folder / "out").read_bytes(), 0, {}
    for name in names:
        for imm in immediates(name):
            length = CASES * size(*result(name))
            out[name, imm] = np.frombuffer(raw, np.uint8, length, start).reshape(CASES, -1)
            start += length
    return out


def stems():
    """The names by what they share: those of a stem are one test."""
    out = {}
    for name in sorted(table()):
        out.setdefault(re.sub(r"q?(_lane|_laneq|_n|_high\w*)?(_[suf]\d+)*$", "", name), []).append(name)
    return out


def agrees(name, imm, wanted):
    """Compares the table's lanes with what the processor gives."""
    values, kinds = data(name), operands(name)
    t, lanes = result(name)
    try:
        groups = [(slice(None), apply(table()[name], variables(kinds, imm), 8 * size(t, lanes) if lanes else 0))]
    except NotConstant:
        groups = [
            (slice(k, k + 1), apply(table()[name], variables(kinds, imm, values[-1][k]), 8 * size(t, lanes)))
            for k in range(CASES)
        ]
    for group, value in groups:
        env = {f"p{i}_{k}": v[group, k] for i, v in enumerate(values) for k in range(v.shape[1])}
        parts = value.parts if isinstance(value, Lanes) else (value,)
        rows = len(wanted[group])
        found = [np.broadcast_to(evaluate(e, env, call=libm), (rows,)).astype(dtype_of(e.type)) for e in parts]
        got = np.stack(found, axis=-1).copy().view(np.uint8).reshape(rows, -1)
        check(name, imm, got, wanted[group], t)


def variables(kinds, imm, control=None):
    out = []
    for i, (t, lanes) in enumerate(kinds):
        names = tuple(Variable(t, f"p{i}_{k}") for k in range(max(lanes, 1)))
        if control is not None and i == len(kinds) - 1:
            names = tuple(const(int(v), t) for v in control)
        out.append(Lanes(names) if lanes else names[0])
    return out if imm is None else [*out, imm]


@needs_arm
@pytest.mark.parametrize("stem", stems())
def test_table_agrees_with_processor(stem, outputs):
    for name in stems()[stem]:
        for imm in immediates(name):
            agrees(name, imm, outputs[name, imm])


def test_every_intrinsic_of_the_table_is_declared():
    assert set(table()) <= set(signatures())
    assert len(table()) > 2000
