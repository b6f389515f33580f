"""The emitted C++ generators compile and run against the real Halide's headers and library.

A few functions by default, one of each kind; all of them with ALL_GENERATORS=1 (`make test-generators`)."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import pytest

from corpus.cases import CASES
from corpus.harness import arguments
from halide_core.raw_buffer import RawBuffer as Buffer
from halide_core.raw_buffer import RawDimension as Dimension
from lifter.harness.side_by_side import _CTYPES, bind
from tests.lifts import label

pytestmark = pytest.mark.long

halide = pytest.importorskip("halide")
ROOT = Path(halide.__file__).parent
FEW = ("DarkenTiled", "Gaussian5x5", "Histogram", "YuvToRgb601", "NormalBlendFloat")

SIZES = [(3, 3), (17, 5), (64, 33)]


@pytest.fixture(scope="session")
def build_generator(tmp_path_factory):
    folder = tmp_path_factory.mktemp("generators")

    def build(name, source):
        program, library = folder / f"{name}.gen", folder / f"{name}.so"
        command = [
            "g++",
            "-std=c++17",
            "-O0",
            "-w",
            f"-I{ROOT}/include",
            str(source),
            f"{ROOT}/lib64/libHalide_GenGen.a",
        ]
        command += [f"-L{ROOT}/lib64", "-lHalide", f"-Wl,-rpath,{ROOT}/lib64", "-ldl", "-lpthread", "-o", str(program)]
        subprocess.run(command, check=True)
        subprocess.run([str(program), "-g", name, "-o", str(folder), "-e", "object", "target=host"], check=True)
        subprocess.run(
            ["g++", "-shared", "-o", str(library), str(folder / f"{name}.o"), "-ldl", "-lpthread"], check=True
        )
        return ctypes.CDLL(str(library))

    return build


def image(layout, t, base, scalars):
    """A halide_buffer_t over a box of the caller's memory."""
    from codegen.conditions import HELPERS, NumberText
    from lifter.algebra.polynomial import from_poly

    def number(p):
        helpers: dict = {}
        exec("\n".join(HELPERS.values()), helpers)
        return int(eval(NumberText(lambda n: n).text(from_poly(p)), helpers, dict(scalars)))

    sizes = [(number(d.min), number(d.extent), number(d.stride)) for d in layout.dims]
    dims = (Dimension * max(len(sizes), 1))(*[Dimension(m, e, s, 0) for m, e, s in sizes])
    host = base + (number(layout.offset) + sum(m * s for m, _, s in sizes)) * t.bytes()
    return Buffer(0, None, host, 0, t.code.value, t.bits, 1, len(sizes), dims, None), dims


@pytest.mark.sampled(2)
@pytest.mark.parametrize("generated", sorted(CASES) if os.environ.get("ALL_GENERATORS") else FEW, ids=label)
def test_generator_compiles_and_runs(generated, lifted_file, build_generator):
    from codegen.plan import plan_path

    name = generated
    case = CASES[name]
    file = lifted_file(case.file)
    lifted = file.function(name).lifted
    function, summary = lifted.function, lifted.summary
    number = max(range(len(summary.paths)), key=lambda i: len(summary.paths[i].funcs))
    plan = plan_path(summary, number)
    generator = f"{name}_{number}" if len(summary.paths) > 1 else name
    library = build_generator(generator, file.folder / f"{name}_generator.cpp")
    compiled = getattr(library, generator)
    original = bind(file.original, function)
    for seed, (width, height) in enumerate(SIZES):
        args = arguments(function, case, width, height, 3, seed)
        before = args.snapshot()
        expected = original(*args.values(function))
        after = args.snapshot()
        args.restore(before)
        keep = [image(i.layout, i.type, args.blocks[i.layout.array].pointer, args.scalars) for i in plan.images]
        values = [ctypes.byref(b) for b, _ in keep]
        values += [_CTYPES[str(p.type)](args.scalars[p.name]) for p in plan.parameters]
        outputs = [image(f.layout, f.type, args.blocks[f.layout.array].pointer, args.scalars) for f in plan.outputs]
        values += [ctypes.byref(b) for b, _ in outputs]
        result = None
        if plan.path.result is not None:
            result = _CTYPES[str(function.return_type)]()
            t = function.return_type
            holder = Buffer(0, None, ctypes.addressof(result), 0, t.code.value, t.bits, 1, 0, None, None)
            values.append(ctypes.byref(holder))
        assert compiled(*values) == 0
        if result is not None:
            assert result.value == expected
        for pointer, wanted in after.items():
            assert args.blocks[pointer].snapshot() == wanted, (pointer, args.scalars)
