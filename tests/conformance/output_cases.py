"""Compilation to files and callables, arguments and targets."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.conformance.cases import case, refusal


def scaled(hl: Any) -> Any:
    """(Func, ImageParam, Param): p[x, y] * q + x."""
    x, y = hl.Var("x"), hl.Var("y")
    p, q = hl.ImageParam(hl.UInt(8), 2, "p"), hl.Param(hl.Float(32), "q")
    f = hl.Func("f")
    f[x, y] = hl.f32(p[x, y]) * q + x
    f.vectorize(x, 8)
    return f, p, q


def image() -> Any:
    return (np.arange(77, dtype=np.uint8) * 3).reshape(7, 11)


def shared(objects: list[str]) -> Any:
    """The objects or archives as a library in this process."""
    path = os.path.join(os.path.dirname(objects[0]), "all.so")
    linked = ["-Wl,--whole-archive", *objects, "-Wl,--no-whole-archive"]
    subprocess.run(["cc", "-shared", "-o", path, *linked, "-lpthread", "-lm", "-ldl"], check=True)
    return ctypes.CDLL(path)


def call(hl: Any, function: Any, out: Any) -> int:
    """function(p, q, out) on halide_buffer_t."""
    p, o = hl.Buffer(image()), hl.Buffer(out)
    raw = [ctypes.c_void_p(b._get_raw_halide_buffer_t()) for b in (p, o)]
    return int(function(raw[0], ctypes.c_float(1.5), raw[1]))


def written(write: Callable[[Any, Any, str, list[Any]], list[str]]) -> Callable[[Any], Any]:
    """Links what `write` made in a folder, and calls the function fn in it."""

    def script(hl: Any) -> Any:
        f, p, q = scaled(hl)
        with tempfile.TemporaryDirectory() as folder:
            library = shared(write(hl, f, folder, [p, q]))
            out = np.zeros((7, 11), np.float32)
            return [call(hl, library.fn, out), out]

    return script


@case
def an_object(hl: Any) -> Any:
    def write(hl: Any, f: Any, folder: str, arguments: list[Any]) -> list[str]:
        f.compile_to_object(f"{folder}/a.o", arguments, "fn")
        return [f"{folder}/a.o"]

    return written(write)(hl)


@case
def a_static_library(hl: Any) -> Any:
    def write(hl: Any, f: Any, folder: str, arguments: list[Any]) -> list[str]:
        f.compile_to_static_library(f"{folder}/a", arguments, "fn")
        assert "fn(" in Path(f"{folder}/a.h").read_text()
        return [f"{folder}/a.a"]

    return written(write)(hl)


@case
def several_kinds(hl: Any) -> Any:
    def write(hl: Any, f: Any, folder: str, arguments: list[Any]) -> list[str]:
        kinds = {
            k: f"{folder}/a.{k.name}"
            for k in (
                hl.OutputFileType.object,
                hl.OutputFileType.assembly,
                hl.OutputFileType.bitcode,
                hl.OutputFileType.stmt,
                hl.OutputFileType.llvm_assembly,
                hl.OutputFileType.c_header,
                hl.OutputFileType.stmt_html,
            )
        }
        hl.Pipeline(f).compile_to(kinds, arguments, "fn", hl.Target("host"))
        assert all(Path(path).stat().st_size for path in kinds.values())
        assert Path(kinds[hl.OutputFileType.bitcode]).read_bytes()[:2] == b"BC"
        assert "define" in Path(kinds[hl.OutputFileType.llvm_assembly]).read_text()
        os.rename(kinds[hl.OutputFileType.object], f"{folder}/a.o")
        return [f"{folder}/a.o"]

    return written(write)(hl)


@case
def an_object_and_its_header(hl: Any) -> Any:
    def write(hl: Any, f: Any, folder: str, arguments: list[Any]) -> list[str]:
        f.compile_to_file(f"{folder}/a", arguments, "fn")
        return [f"{folder}/a.o"]

    return written(write)(hl)


@case
def texts(hl: Any) -> Any:
    f, p, q = scaled(hl)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        f.compile_to_lowered_stmt(f"{folder}/a.html", [p, q], hl.StmtOutputFormat.HTML)
        f.compile_to_lowered_stmt(f"{folder}/a.stmt", [p, q])
        f.compile_to_assembly(f"{folder}/a.s", [p, q], "fn")
        f.compile_to_llvm_assembly(f"{folder}/a.ll", [p, q], hl.Target("x86-64-linux"))
        f.compile_to_bitcode(f"{folder}/a.bc", [p, q], "fn")
        f.compile_to_header(f"{folder}/a.h", [p, q], "fn")
        found.append("<html" in Path(f"{folder}/a.html").read_text())
        found.append("produce f" in Path(f"{folder}/a.stmt").read_text())
        found.append("fn:" in Path(f"{folder}/a.s").read_text())
        found.append(" @f(" in Path(f"{folder}/a.ll").read_text())
        found.append("float _q" in Path(f"{folder}/a.h").read_text())
    return found[:3] + found[4:]


@case
def errors_of_objects(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    p = hl.ImageParam(hl.UInt(8), 2, "p")
    p.dim(1).set_stride(16)
    f = hl.Func("f")
    f[x, y] = p[x, y] + hl.u8(1)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        f.compile_to_object(f"{folder}/a.o", [p], "fn")
        library = shared([f"{folder}/a.o"])
        # The package's run time aborts unless told otherwise.
        handler = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)(lambda context, message: None)
        if hasattr(library, "halide_set_error_handler"):
            library.halide_set_error_handler(handler)
        out = hl.Buffer(np.zeros((3, 16), np.uint8))
        for data in (np.ones((3, 16), np.uint8), np.ones((3, 20), np.uint8), np.ones((2, 16), np.uint8)):
            b = hl.Buffer(data)
            raw = [ctypes.c_void_p(v._get_raw_halide_buffer_t()) for v in (b, out)]
            found.append(library.fn(*raw))
        for other in (hl.Buffer(np.ones((3, 16), np.int8)), hl.Buffer(np.ones(16, np.uint8))):
            raw = [ctypes.c_void_p(v._get_raw_halide_buffer_t()) for v in (other, out)]
            found.append(library.fn(*raw))
        found.append(library.fn(None, raw[1]))
    return found


@case
def bounds_queries_of_objects(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    p = hl.ImageParam(hl.UInt(8), 2, "p")
    f = hl.Func("f")
    f[x, y] = p[2 * x + 1, y - 3] + p[2 * x, y]
    with tempfile.TemporaryDirectory() as folder:
        f.compile_to_object(f"{folder}/a.o", [p], "fn")
        library = shared([f"{folder}/a.o"])
        query, out = hl.Buffer.make_bounds_query(hl.UInt(8), [1, 1]), hl.Buffer(hl.UInt(8), [5, 4])
        address = query._get_raw_halide_buffer_t()
        code = library.fn(ctypes.c_void_p(address), ctypes.c_void_p(out._get_raw_halide_buffer_t()))
        # halide_buffer_t holds the pointer to its dimensions at byte 40.
        dims = ctypes.cast(ctypes.c_void_p.from_address(address + 40).value, ctypes.POINTER(ctypes.c_int32 * 4))
        return [code, list(dims[0])[:3], list(dims[1])[:3]]


@case
def callables(hl: Any) -> Any:
    f, p, q = scaled(hl)
    c = f.compile_to_callable([p, q])
    first, second = np.zeros((7, 11), np.float32), np.zeros((5, 9), np.float32)
    c(hl.Buffer(image()), 2.0, hl.Buffer(first))
    d = hl.Pipeline(f).compile_to_callable([q, p], hl.Target("host"))
    d(0.25, hl.Buffer(image()), hl.Buffer(second))
    return [first, second]


@case
def callables_by_name(hl: Any) -> Any:
    x, p, q = hl.Var("x"), hl.ImageParam(hl.UInt(8), 1, "an_image"), hl.Param(hl.Float(32), "a_factor")
    f = hl.Func("an_output")
    f[x] = p[x] * q
    c = f.compile_to_callable([p, q])
    out = np.zeros(11, np.float32)
    c(hl.Buffer(image()[1]), an_output=hl.Buffer(out), a_factor=3.0)
    return out


@case
def callables_of_several(hl: Any) -> Any:
    x = hl.Var("x")
    p = hl.Param(hl.UInt(8), "p")
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = hl.u8(x) * p
    g[x] = (x, hl.f32(f[x]))
    c = hl.Pipeline([f, g]).compile_to_callable([p])
    a, b, d = np.zeros(9, np.uint8), np.zeros(9, np.int32), np.zeros(9, np.float32)
    c(7, hl.Buffer(a), hl.Buffer(b), hl.Buffer(d))
    return [a, b, d]


@refusal("p")
def a_callable_without_an_argument(hl: Any) -> Any:
    f, _, q = scaled(hl)
    f.compile_to_callable([q])


@refusal("2")
def a_callable_called_with_too_few(hl: Any) -> Any:
    f, p, q = scaled(hl)
    f.compile_to_callable([p, q])(hl.Buffer(image()), 2.0)


@refusal("has type uint8 but type of the buffer passed in is int32")
def a_callable_called_with_another_type(hl: Any) -> Any:
    f, p, q = scaled(hl)
    out = hl.Buffer(np.zeros((7, 11), np.float32))
    f.compile_to_callable([p, q])(hl.Buffer(image().astype(np.int32)), 2.0, out)


@refusal("beyond the max (10) in dimension 0")
def a_callable_called_with_a_small_image(hl: Any) -> Any:
    f, p, q = scaled(hl)
    f.compile_to_callable([p, q])(hl.Buffer(image()), 2.0, hl.Buffer(np.zeros((7, 12), np.float32)))


@case
def arguments(hl: Any) -> Any:
    f, p, q = scaled(hl)
    found: list[Any] = []
    for a in [*f.infer_arguments(), hl.Argument(p), hl.Argument(q)]:
        found += [a.name.split("$")[0], a.kind.name, a.dimensions, str(a.type)]
    return found


@case
def targets(hl: Any) -> Any:
    feature = hl.TargetFeature
    t = hl.Target("x86-64-linux-avx2-sse41")
    found: list[Any] = [str(t), t.arch.name, t.os.name, t.bits, t.has_feature(feature.AVX2), t.has_feature(feature.FMA)]
    found += [str(t.with_feature(feature.FMA)), str(t.without_feature(feature.AVX2)), t.has_gpu_feature()]
    found += [t.features_all_of([feature.AVX2, feature.FMA]), t.features_any_of([feature.AVX2, feature.FMA])]
    found += [t.natural_vector_size(hl.UInt(8)), t.natural_vector_size(hl.Float(64)), t.has_large_buffers()]
    found += [t.maximum_buffer_size(), t == hl.Target("x86-64-linux-sse41-avx2"), t.supports_type(hl.Float(64))]
    found += [hl.Target("arm-64-linux").natural_vector_size(hl.Int(16)), hl.get_host_target().arch.name]
    found += [hl.Target.validate_target_string("x86-64-linux-avx2"), hl.Target.validate_target_string("foo-bar")]
    made = hl.Target(hl.TargetOS.Linux, hl.TargetArch.X86, 64, [feature.AVX2, feature.SSE41])
    made.set_feature(feature.FMA)
    made.set_features([feature.AVX2], False)
    found += [str(made), made == hl.Target("x86-64-linux-fma-sse41"), t.supported(), t.processor_tune.name]
    found += [t.supports_device_api(hl.DeviceAPI.Host), hl.host_supports_target_device(t)]
    return [str(v) for v in found]


@case
def questions_about_the_target(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = (
        hl.select(hl.target_arch_is(hl.TargetArch.X86), x, -x),
        hl.select(hl.target_os_is(hl.TargetOS.Windows), 1, 2),
        hl.target_bits() + x,
        hl.select(hl.target_has_feature(hl.TargetFeature.CUDA), 5, 6),
        hl.target_natural_vector_size(hl.UInt(8)) / hl.target_natural_vector_size(hl.Float(64)),
    )
    return f.realize([5])


@refusal("foo-bar")
def a_target_that_is_not_there(hl: Any) -> Any:
    hl.Target("foo-bar")
