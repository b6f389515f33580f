"""NVIDIA's assembler takes every kernel of the cases, for devices of two generations, without spills."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

import halide_core as hc
from halide_core.backend.ptx import to_ptx
from halide_core.lower import lower
from tests.gpu.cases import CASES


def assembler() -> Path | None:
    """ptxas of the package nvidia-cuda-nvcc, of any of its versions; None where that is not installed."""
    for name in ("nvidia.cuda_nvcc", "nvidia.cu13", "nvidia"):
        try:
            found = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            continue
        for folder in (found.submodule_search_locations if found else None) or ():
            path = next(Path(folder).rglob("bin/ptxas"), None)
            if path is not None:
                return path
    return None


def resources(path: Path, ptx: str, capability: int, folder: Path) -> dict[str, dict[str, int]]:
    """Registers, bytes of shared memory, of the stack and of spills, by kernel."""
    source = folder / "kernel.ptx"
    source.write_text(ptx)
    command = [str(path), "-v", f"-arch=sm_{capability}", str(source), "-o", str(folder / "kernel.cubin")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + ptx
    out: dict[str, dict[str, int]] = {}
    for part in re.split(r"Compiling entry function '", done.stderr)[1:]:
        name = part[: part.index("'")]
        numbers = {"registers": r"Used (\d+) regis", "shared": r"(\d+) bytes smem", "stack": r"(\d+) bytes stack"}
        found = {k: re.search(p, part) for k, p in numbers.items()}
        out[name] = {k: int(m[1]) if m else 0 for k, m in found.items()}
        out[name]["spills"] = sum(map(int, re.findall(r"(\d+) bytes spill", part)))
    return out


@pytest.mark.parametrize("name", CASES)
def test_assembled(name: str, tmp_path: Path, record_property: pytest.FixtureRequest) -> None:
    path = assembler()
    if path is None:
        pytest.skip("the package nvidia-cuda-nvcc is not installed (pip install 'lifter[cuda]')")
    f, _ = CASES[name].make(hc, True)
    kernels = lower([f._function], hc.Target("x86-64-linux-sse41-cuda")).kernels
    for capability in (80, 90):
        found = resources(path, to_ptx(kernels, capability), capability, tmp_path)
        assert found.keys() == {k.name for k in kernels}
        record_property(f"sm_{capability}", found)  # type: ignore[operator]
        assert not any(r["spills"] for r in found.values()), found
