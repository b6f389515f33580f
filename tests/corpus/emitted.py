"""Running emitted Halide under the package `halide`, on the caller's own memory."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from lifter.harness.contents import numpy_type
from lifter.harness.side_by_side import one_way

hl = pytest.importorskip("halide")
OWN_FUNCTIONS = ("exp", "log", "pow", "sin", "cos", "tan", "tanh", "atan", "atan2")


class Emitted:
    """An emitted module, and its variants as they were built: each is compiled once, whatever sizes follow."""

    def __init__(self, module: ModuleType) -> None:
        self.variant = module.variant
        self.hl = module.hl
        self.tables = Path(module.__file__).read_text().count("= hl.Buffer(np.")
        """Constants that live as long as the module, on a device too."""
        self.built: dict[Callable[..., Any], tuple[Any, Any, Any, Any]] = {}

    def pipeline(self, build: Callable[..., Any]) -> tuple[Any, Any, Any, Any]:
        """(images, parameters, outputs by name, the pipeline of all outputs) of one variant."""
        if build not in self.built:
            images, params, outputs = build()
            self.built[build] = images, params, outputs, self.hl.Pipeline(list(outputs.values()))
        return self.built[build]


@functools.lru_cache(maxsize=2)
def load(path: Path, name: str, package: str = "halide") -> Emitted:
    """The module at `path`; where `halide` is not to be found, it takes `halide_core`."""
    with pytest.MonkeyPatch.context() as patch:
        if package != "halide":
            patch.setitem(sys.modules, "halide", None)
        module = _executed(path, name)
    assert module.hl.__name__ == package
    return Emitted(module)


def _executed(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"emitted_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def view(block, region):
    """The caller's memory as Halide sees it: a strided array over the region's box, outermost dimension first."""
    _, offset, dims = region
    dtype = numpy_type(block.type)
    if dtype == np.uint64:
        dtype = np.dtype(np.ulonglong)  # the one of two equal types that the package takes
    start = block.pointer - block.memory.address + (offset + sum(m * s for m, _, s in dims)) * dtype.itemsize
    shape = tuple(e for _, e, _ in reversed(dims))
    strides = tuple(s * dtype.itemsize for _, _, s in reversed(dims))
    if 0 in shape:
        return np.zeros(shape, dtype)  # where it starts may lie outside of the memory
    return np.ndarray(shape, dtype, buffer=block.memory.bytes.data, offset=start, strides=strides)


def buffer(hl, array, dims):
    b = hl.Buffer(array)
    if dims:
        b.set_min([m for m, _, _ in dims])
    return b


def run(emitted, function, args, target=None):
    """Realizes the pipeline into the argument memory; the return value.  `target`: another one than the host."""
    chosen = emitted.variant(*(args.scalars[p.name] for p in function.params if not p.pointer), **_about(emitted, args))
    if chosen is None:
        return None
    build, regions = chosen
    images, params, outputs, pipeline = emitted.pipeline(build)
    boxes = regions(*(args.scalars[p.name] for p in function.params if not p.pointer))
    types = {p.name: p.type for p in function.params}
    for name, param in params.items():
        param.set(args.scalars[name] if not types[name].is_float() else float(args.scalars[name]))
    keep = []  # Halide does not keep an array alive
    for name, image in images.items():
        pointer, _, dims = boxes[name]
        keep.append(np.array(view(args.blocks[pointer], boxes[name]), order="C"))
        image.set(buffer(emitted.hl, keep[-1], dims))
    result = None
    targets = []
    for name in outputs:
        pointer, _, dims = boxes[name]
        if pointer:
            array = np.array(view(args.blocks[pointer], boxes[name]), order="C")
        else:
            array = result = np.zeros((), numpy_type(function.return_type))
        targets.append((buffer(emitted.hl, array, dims), array, name))
    pipeline.realize([b for b, _, _ in targets], *([] if target is None else [target]))
    for b, array, name in targets:
        if target is not None:
            b.copy_to_host()
            b.device_free()
        if boxes[name][0]:
            view(args.blocks[boxes[name][0]], boxes[name])[...] = array
    return None if result is None else one_way(function, args.values(function), result.item())


def _about(emitted, args):
    """What `variant` asks of the pointers, by the names of its parameters."""
    asked = inspect.signature(emitted.variant).parameters
    null = {f"{n}_is_null": b.pointer == 0 for n, b in args.blocks.items()}
    addresses = {f"{n}_address": b.pointer for n, b in args.blocks.items()}
    return {n: v for n, v in (null | addresses).items() if n in asked}


def halide_equals(path, function, original, args):
    """Whether an emitted module leaves in the arguments' memory, and returns, what the original does.

    The package has exponentials and the like of its own, which differ from libm's in the last places: floats computed
    with them are compared to a few units of the sixth digit."""
    before = args.snapshot()
    expected = original(*args.values(function))
    after = args.snapshot()
    args.restore(before)
    got = run(load(path, function.name), function, args)
    if any(f"hl.{name}(" in path.read_text() for name in OWN_FUNCTIONS):
        return got == expected and all(
            np.allclose(a, b, rtol=2e-6, atol=1e-6, equal_nan=True)
            for a, b in zip(_floats(args, args.snapshot()), _floats(args, after), strict=True)
        )
    return got == expected and args.snapshot() == after


def _floats(args, contents):
    """The memory of pointers to floats as such, of others as bytes."""
    for name, block in args.blocks.items():
        raw = np.frombuffer(contents[name], np.uint8)
        whole = len(raw) // block.type.bytes() * block.type.bytes()
        yield raw[:whole].view(numpy_type(block.type)) if block.type.is_float() else raw
