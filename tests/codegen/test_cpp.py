"""The emitted C++ generators of some of these functions, compiled as one program, run beside the originals.

With ALL_ADVERSARIAL=1: Halide's header takes a compiler a while."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import pytest

from lifter.harness.draw_arguments import Drawer
from lifter.harness.side_by_side import bind
from tests.c_files import names_of
from tests.codegen.running import arguments_of, difference, prepare
from tests.corpus.test_generators import ROOT, image

NAMES = (
    "shift_one_unsigned", "shift_right_signed", "shift_guarded", "limit_unsigned", "limit_long", "add_saturating",
    "absolute_of_ints", "divide_signed", "float_is_nan", "float_to_byte", "float_negative_zero", "float_infinity",
    "math_fmax", "math_fma", "math_copysign",
)
FILES = {n: f for f in sorted(Path(__file__).parent.glob("first/*.cpp")) for n in names_of(f)}
SETS = 35


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """What was prepared of each function, and one library of all that the generators make."""
    folder = tmp_path_factory.mktemp("generators")
    sources = dict.fromkeys(FILES[n] for n in NAMES)
    done = {f: prepare(f, folder, [n for n in NAMES if FILES[n] == f]) for f in sources}
    program, library = folder / "all.gen", folder / "all.so"
    whole = folder / "all.cpp"
    whole.write_text("".join(f'#include "{folder}/{n}_generator.cpp"\n' for n in NAMES))
    command = ["g++", "-std=c++17", "-O0", "-w", f"-I{ROOT}/include", str(whole), f"{ROOT}/lib64/libHalide_GenGen.a"]
    command += [f"-L{ROOT}/lib64", "-lHalide", f"-Wl,-rpath,{ROOT}/lib64", "-ldl", "-lpthread", "-o", str(program)]
    subprocess.run(command, check=True)
    for n in NAMES:
        subprocess.run([str(program), "-g", n, "-o", str(folder), "-e", "object", "target=host-no_runtime"], check=True)
    subprocess.run([str(program), "-r", "runtime", "-o", str(folder), "-e", "object", "target=host"], check=True)
    objects = [str(folder / f"{n}.o") for n in (*NAMES, "runtime")]
    subprocess.run(["g++", "-shared", "-o", str(library), *objects, "-ldl", "-lpthread"], check=True)
    return {n: done[FILES[n]] for n in NAMES}, ctypes.CDLL(str(library))


@pytest.mark.skipif(not os.environ.get("ALL_ADVERSARIAL"), reason="takes long")
@pytest.mark.parametrize("function", NAMES)
def test_generator(function, built):
    prepared, library = built
    done = prepared[function]
    summary = done.reports[function].lifted.summary
    (path,) = summary.paths
    original = bind(ctypes.CDLL(str(done.library)), summary.function)
    for args in arguments_of(Drawer(summary), SETS):
        before = args.snapshot()
        original(*args.values(summary.function))
        after = args.snapshot()
        args.restore(before)
        layouts = [*((i.layout, i.type) for i in path.inputs), *((f.layout, f.type) for f in path.funcs)]
        kept = [image(x, t, args.blocks[x.array].pointer, args.scalars) for x, t in layouts]
        assert getattr(library, function)(*(ctypes.byref(b) for b, _ in kept)) == 0
        assert difference(args, before, after) is None
