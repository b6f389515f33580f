"""Pointers made from numbers: the loop language of each, word for word, and beside the compiled function.

With UPDATE_GOLDEN=1 in the environment the expected texts are written anew."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import numpy as np
import pytest
from compiled_reference import compile_source

from lifter.frontend import FunctionError, parse_file
from lifter.ir.loop_interpreter import Memory, run
from lifter.ir.loop_ir import Function
from lifter.ir.loop_printer import function_text

SOURCE = Path(__file__).with_name("address_numbers.c")
FUNCTIONS = {f.name: f for f in parse_file(str(SOURCE)).functions}
LOWERED = [name for name, f in FUNCTIONS.items() if isinstance(f, Function)]


def test_texts() -> None:
    texts = [
        f"{f.name}: {f.reason}\n" if isinstance(f, FunctionError) else function_text(f, lines=True)
        for f in FUNCTIONS.values()
    ]
    expected = SOURCE.with_suffix(".txt")
    if os.environ.get("UPDATE_GOLDEN"):
        expected.write_text("\n".join(texts))
    assert "\n".join(texts) == expected.read_text()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return compile_source(SOURCE, tmp_path_factory.mktemp("address_numbers") / "library.so")


@pytest.mark.parametrize("name", LOWERED)
def test_beside_the_compiled_function(name: str, library: ctypes.CDLL) -> None:
    function = FUNCTIONS[name]
    assert isinstance(function, Function)
    rng = np.random.default_rng(len(name))
    for n in range(14):
        scalars = {"n": n, "pitch": 6}
        memory, arrays = {}, {}
        for p in function.params:
            if p.pointer:
                kind = f"{'f' if p.type.is_float() else 'u'}{p.type.bytes()}"
                contents = rng.integers(1, 100, 400, np.uint8).view(kind)
                arrays[p.name] = contents.copy()
                memory[p.name] = Memory(contents.copy())
        values = {p.name: memory[p.name] if p.pointer else scalars.get(p.name, 9) for p in function.params}
        addresses = {name: contents.ctypes.data_as(ctypes.c_void_p) for name, contents in arrays.items()}
        given = [addresses[p.name] if p.pointer else values[p.name] for p in function.params]
        compiled = getattr(library, name)
        compiled.restype = ctypes.c_uint8
        expected, found = compiled(*given), run(function, values)
        assert found is None or found == expected
        for array, contents in arrays.items():
            np.testing.assert_array_equal(memory[array].data, contents)
